//! How many levels a texture has, and how large they are (OpenGL 4.6, 8.14.3). Nothing filters here.
