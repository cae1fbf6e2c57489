// Notes on swish: no source, and never to be overwritten.
