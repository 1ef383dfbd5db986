namespace protocol {}
