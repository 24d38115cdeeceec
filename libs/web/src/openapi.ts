import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

export interface OpenApiOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Serves the Swagger UI at `/docs` and the document at `/openapi.json`, offline. Gives the document. */
export function serveOpenApi(app: INestApplication, options: OpenApiOptions): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-gw-api-key' }, 'api_key')
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
    .build();
  const document = withUniqueIds(
    SwaggerModule.createDocument(app, config, { operationIdFactory: operationId }),
  );
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: options.title,
  });
  return document;
}

const operationId = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '').replace(/^./, (letter) => letter.toLowerCase())}_${method}`;

/** One handler answers on several paths, and an id may stand for one operation only: the path tells them apart. */
function withUniqueIds(document: OpenAPIObject): OpenAPIObject {
  const seen = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation?.operationId) continue;
      if (seen.has(operation.operationId)) {
        operation.operationId += `__${path.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_|_$/g, '')}`;
      }
      seen.add(operation.operationId);
    }
  }
  return document;
}
