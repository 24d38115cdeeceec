import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/access';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tollgate</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
      code { background: #8882; padding: 0.1rem 0.3rem; border-radius: 0.2rem }
      :root { color-scheme: light dark }
    </style>
  </head>
  <body>
    <h1>Tollgate</h1>
    <p>An AI gateway with its control plane. This is the control plane, version ${CONTROL_PLANE_VERSION}.</p>
    <ul>
      <li><a href="/docs">API documentation</a>, also as <a href="/openapi.json">OpenAPI</a></li>
      <li>The API answers here under <code>/v1</code> and <code>/v2</code>, and through the gateway's own address.</li>
      <li><a href="/health">Health</a></li>
    </ul>
  </body>
</html>
`;

/** Serves the page at the root path to browsers. */
@ApiExcludeController()
@Controller()
export class WelcomeController {
  @Get()
  @Public('A static page without any data.')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
  page(): string {
    return PAGE;
  }
}
