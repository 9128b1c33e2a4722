mod follow; mod held; mod overlap; mod pipe; mod terminal; mod ttyd;
