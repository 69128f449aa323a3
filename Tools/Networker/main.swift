print("networker")
