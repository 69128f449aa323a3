"""A tus server that is not the kit's: tuspyserver. usage: tus_server.py FOLDER PORT"""

import sys

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

folder, port = sys.argv[1], int(sys.argv[2])
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=folder))
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
