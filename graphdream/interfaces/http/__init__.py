"""`graphdream serve`: the HTTP interface, the dashboard, and the scheduler behind them.

declared    what a route of the API is: its path, what it takes and gives; the OpenAPI document is derived from it
api         the routes
jobs        passes that were asked for, each in a process of its own, and how far they are
guard       who may ask: host, origin, token, size of what is sent; what every answer forbids a browser
pages       the dashboard, drawn on the server
app         all of it as one ASGI application
serving     the application, the server and the scheduler as one process
"""
