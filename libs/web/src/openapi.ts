import { isObject } from '@gw/kernel';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorResponse } from './responses';
import { addExamples } from './openapi-examples';

export interface OpenApiOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Serves Swagger UI at `/docs` and the document at `/openapi.json`, offline. Returns a function
 * that builds the document once, on the first request, because building takes a third of the start
 * time.
 */
export function serveOpenApi(app: INestApplication, options: OpenApiOptions): () => OpenAPIObject {
  let built: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (built ??= documentOf(app, options));
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: options.title,
  });
  return document;
}

function documentOf(app: INestApplication, options: OpenApiOptions): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-gw-api-key' }, 'api_key')
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
    .build();
  const created = SwaggerModule.createDocument(app, config, {
    operationIdFactory: operationId,
    extraModels: [ErrorResponse],
  });
  const document = withNullTypes(withErrors(withUniqueIds(created))) as OpenAPIObject;
  addExamples(document);
  return document;
}

const operationId = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '').replace(/^./, (letter) => letter.toLowerCase())}_${method}`;

/** Adds the error body, which all failures of all operations share. */
function withErrors(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      operation.responses['default'] = {
        description: 'Any failure.',
        content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorResponse) } } },
      };
    }
  }
  return document;
}

/**
 * Converts `nullable`, which Nest writes, to a type `null`, because OpenAPI 3.1 has no `nullable`.
 */
function withNullTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNullTypes);
  if (!isObject(value)) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === 'example' ? item : withNullTypes(item)]),
  );
  if (nullable !== true) return nullable === undefined ? rest : { ...rest, nullable };
  return orNull(rest);
}

function orNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { type, enum: values, allOf, $ref, ...more } = schema;
  if (allOf !== undefined || $ref !== undefined) {
    const [target] = Array.isArray(allOf) ? (allOf as unknown[]) : [{ $ref }];
    return { ...more, anyOf: [target, { type: 'null' }] };
  }
  for (const union of ['anyOf', 'oneOf'] as const) {
    const variants = more[union];
    if (Array.isArray(variants)) return { ...more, [union]: [...(variants as unknown[]), { type: 'null' }] };
  }
  return {
    ...more,
    // A schema without a type accepts everything, including null.
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}

/**
 * Makes operation ids unique: a handler can serve several paths, and the path distinguishes them.
 */
function withUniqueIds(document: OpenAPIObject): OpenAPIObject {
  const seen = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation?.operationId) continue;
      // Nest numbers the paths of a handler: `workspaces_list[3]`.
      operation.operationId = operation.operationId.replace(/\[\d+\]$/, '');
      if (seen.has(operation.operationId)) {
        operation.operationId += `__${path.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_|_$/g, '')}`;
      }
      seen.add(operation.operationId);
    }
  }
  return document;
}
