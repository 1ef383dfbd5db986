namespace rewrite {}
