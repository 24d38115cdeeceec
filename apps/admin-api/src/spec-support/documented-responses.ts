import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

interface Operation {
  /** Method and path, for example `GET /v1/workspaces/{workspaceId}`. */
  readonly name: string;
  /** Name of the handler, which may serve several paths. */
  readonly handler: string;
  readonly method: string;
  readonly path: RegExp;
  /** Index of the success schema in `answers`; null when there is none. */
  readonly success: number | null;
  /** Whether success has another schema than that of a JSON body: a stream or a file. */
  readonly isStreamOrFile: boolean;
  /** Statuses of documented redirects. */
  readonly redirects: readonly string[];
  /**
   * Index of the 503 schema of a readiness route, which is not an error body; null for other
   * routes.
   */
  readonly unavailable: number | null;
}

const JSON_TYPE = 'application/json';
const ERROR = 0;
const ROOT = 'document';

/** Compiles the response schemas of an OpenAPI document, each at its first use. */
export class ResponseSchemas {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly operations: readonly Operation[];
  /**
   * Operations by method and number of path segments, so that a call is compared with few paths.
   */
  private readonly byShape = new Map<string, Operation[]>();

  constructor(document: OpenAPIObject) {
    addFormats(this.ajv);
    const responses: object[] = [{ $ref: '#/components/schemas/ErrorResponse' }];
    const placeOf = (schema: object | undefined): number | null =>
      schema === undefined ? null : responses.push(schema) - 1;
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Described>).map(([method, { operationId, responses }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        handler: operationId.split('__', 1)[0] ?? '',
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
        success: placeOf((responses['200'] ?? responses['201'])?.content?.[JSON_TYPE]?.schema),
        isStreamOrFile: Object.entries(responses['200']?.content ?? {}).some(
          ([type, media]) => type !== JSON_TYPE && media?.schema !== undefined,
        ),
        redirects: Object.keys(responses).filter((status) => status.startsWith('3')),
        unavailable: /\/ready$/.test(path) ? placeOf(responses['503']?.content?.[JSON_TYPE]?.schema) : null,
      })),
    );
    for (const operation of this.operations) {
      const shape = shapeOf(operation.method, operation.name);
      this.byShape.set(shape, [...(this.byShape.get(shape) ?? []), operation]);
    }
    // There is one root schema, so that shared components are compiled once.
    const components = { schemas: closed(document.components?.schemas ?? {}, true) };
    this.ajv.addSchema({ $id: ROOT, components, answers: responses });
  }

  get handlers(): Set<string> {
    return new Set(this.operations.map(({ handler }) => handler));
  }

  /** Operations without a response schema. */
  get undocumented(): string[] {
    return this.operations
      .filter(({ success, isStreamOrFile }) => success === null && !isStreamOrFile)
      .map(({ name }) => name);
  }

  /**
   * Throws when the response of a documented operation does not match its schema. Returns the
   * handler of a successful response; null for a failure, a redirect and an undocumented operation.
   */
  check(method: string, url: string, status: number, body: unknown): string | null {
    // 204 is the response to a dry run, on every route that supports one.
    if (status === 204) return null;
    const operation = this.operationOf(method, url.split('?', 1)[0] ?? '/');
    if (!operation) return null;
    if (status >= 300 && status < 400) {
      assertRedirect(operation, status);
      return null;
    }
    const place = placeOfSchema(operation, status);
    const validate = place === null ? null : this.validatorOf(place);
    if (validate?.(body) === false) {
      const faults = JSON.stringify(validate.errors, null, 1);
      throw new Error(`${operation.name} responded with ${String(status)} unlike its document: ${faults}`);
    }
    return status < 400 ? operation.handler : null;
  }

  private operationOf(method: string, path: string): Operation | undefined {
    const candidates = (this.byShape.get(shapeOf(method, path)) ?? []).filter((one) => one.path.test(path));
    // `/config/slug/x` is more specific than `/config/{config}/x`.
    return candidates.sort((a, b) => placeholders(a) - placeholders(b))[0];
  }

  /**
   * Returns the validator of a schema, compiled at first use, because an app has many operations
   * and a suite calls few.
   */
  private validatorOf(place: number): ValidateFunction {
    const validate = this.ajv.getSchema(`${ROOT}#/answers/${String(place)}`);
    if (!validate) throw new Error('The document has a reference without a target.');
    return validate;
  }
}

/**
 * Checks responses against the OpenAPI document: each must match its schema and contain no
 * undocumented field.
 */
export class DocumentedResponses {
  /** Handlers that have responded with success. */
  readonly seen = new Set<string>();

  constructor(readonly schemas: ResponseSchemas) {}

  /** Throws when the response of a documented operation does not match its schema. */
  check(method: string, url: string, status: number, body: unknown): void {
    const handler = this.schemas.check(method, url, status, body);
    if (handler !== null) this.seen.add(handler);
  }
}

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response | undefined>>;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: object } | undefined>>;
}

function assertRedirect({ name, redirects }: Operation, status: number): void {
  if (redirects.includes(String(status))) return;
  throw new Error(`${name} redirects with ${String(status)}, which its document lacks`);
}

function placeOfSchema({ success, unavailable }: Operation, status: number): number | null {
  if (status < 400) return success;
  return status === 503 ? (unavailable ?? ERROR) : ERROR;
}

const shapeOf = (method: string, path: string): string => `${method} ${String(path.split('/').length)}`;

const placeholders = ({ name }: Operation): number => name.split('{').length;

/**
 * Returns the schemas with all objects closed to undocumented fields. Errors stay open, since some
 * types add members.
 */
function closed(schema: object, isMap: boolean): object {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [name, value];
      const inner = closed(value, false);
      const isOpen =
        !isMap || name.startsWith('Error') || !('properties' in inner) || 'additionalProperties' in inner;
      return [name, isOpen ? inner : { ...inner, additionalProperties: false }];
    }),
  );
}
