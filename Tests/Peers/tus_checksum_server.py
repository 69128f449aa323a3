"""A tus server with checksums that is not the kit's: drf-tus, which uses Django. It has its files in the folder TUS_FOLDER.

usage: TUS_FOLDER=FOLDER gunicorn --chdir Tests/Peers tus_checksum_server:application
"""

import base64
import hashlib
import os

import django
from django.conf import settings

folder = os.environ["TUS_FOLDER"]
settings.configure(
    BASE_DIR=folder,
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "uploads.sqlite")}},
    DATA_UPLOAD_MAX_MEMORY_SIZE=None,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "rest_framework_tus"],
    MEDIA_ROOT=folder,
    MIDDLEWARE=["rest_framework_tus.middleware.TusMiddleware"],
    ROOT_URLCONF=__name__,
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "DEFAULT_PERMISSION_CLASSES": []},
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework_tus import views  # noqa: E402

# drf-tus 2.0.3 compares with the digest in hexadecimal. The protocol writes it in Base64.
views.checksum_matches = lambda name, sent, data: base64.b64encode(hashlib.new(name, data).digest()).decode() == sent
urlpatterns = [path("", include("rest_framework_tus.urls"))]
call_command("migrate", verbosity=0)
application = get_wsgi_application()
