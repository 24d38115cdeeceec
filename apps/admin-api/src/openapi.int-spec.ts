import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestAdminApi } from './spec-support/admin-api';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
}

interface Body {
  readonly description?: unknown;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: object;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

/** OpenAPI keywords that JSON Schema does not define. */
const ANNOTATIONS = ['example', 'components'];

describe('OpenAPI document', () => {
  const admin = new TestAdminApi();
  let operations: [name: string, path: string, operation: Operation][];
  let ajv: Ajv2020;

  beforeAll(() => {
    // Enables all strict modes except those against a union of types and against undeclared
    // required fields.
    ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    addFormats(ajv);
    ajv.addVocabulary(ANNOTATIONS);
    operations = Object.entries(admin.api.document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(
        ([method, operation]): [string, string, Operation] => [`${method} ${path}`, path, operation],
      ),
    );
  });

  /** Compiled schemas are cached, since many bodies share a schema. */
  const compiled = new Map<string, ValidateFunction>();
  function compile(schema: object): ValidateFunction {
    const name = JSON.stringify(schema);
    const { schemas = {} } = admin.api.document.components ?? {};
    const validate = compiled.get(name) ?? ajv.compile({ ...schema, components: { schemas } });
    compiled.set(name, validate);
    return validate;
  }
  const bodiesOf = ({ requestBody, responses }: Operation): Body[] => [
    ...(requestBody ? [requestBody] : []),
    // Redirects have no body.
    ...Object.entries(responses).flatMap(([status, one]) => (status.startsWith('3') ? [] : [one])),
  ];

  it('states OpenAPI 3.1, its title and its version', () => {
    const { openapi, info } = admin.api.document;
    expect(openapi).toMatch(/^3\.1\.\d+$/);
    expect([info.title, info.version]).toEqual([expect.any(String), expect.stringMatching(/^\d/)]);
  });

  it('has only references with a target, and no unused component', () => {
    const { schemas = {} } = admin.api.document.components ?? {};
    const text = JSON.stringify(admin.api.document);
    const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? ''));
    const known = new Set(Object.keys(schemas).map((name) => `#/components/schemas/${name}`));
    expect([...refs].filter((ref) => !known.has(ref))).toEqual([]);
    expect([...known].filter((ref) => !refs.has(ref))).toEqual([]);
  });

  it('contains only valid JSON Schema, without unknown keywords', () => {
    const { schemas = {} } = admin.api.document.components ?? {};
    expect(Object.keys(schemas).length).toBeGreaterThan(100);
    for (const name of Object.keys(schemas)) compile({ $ref: `#/components/schemas/${name}` });
    for (const [, , { parameters = [] }] of operations) {
      for (const { schema } of parameters) if (schema) compile(schema);
    }
  }, 300_000);

  it('names each operation uniquely and declares its path parameters, body and credentials', () => {
    const ids = operations.map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const { securitySchemes = {} } = admin.api.document.components ?? {};
    const faults = operations.flatMap(([name, path, operation]) => {
      const { parameters = [], responses, security = [] } = operation;
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter);
      const declared = parameters.filter((one) => one.in === 'path').map((one) => one.name);
      const keys = parameters.map((one) => `${one.in} ${one.name}`);
      return [
        ...(inPath.sort().join() === declared.sort().join() ? [] : [`${name}: path parameters`]),
        ...(parameters.every((one) => one.schema && (one.in !== 'path' || one.required))
          ? []
          : [`${name}: schema`]),
        ...(new Set(keys).size === keys.length ? [] : [`${name}: a duplicate parameter`]),
        ...(Object.values(responses).every((one) => typeof one.description === 'string')
          ? []
          : [`${name}: answers`]),
        ...(bodiesOf(operation).every(({ content = {} }) =>
          Object.values(content).some(({ schema }) => schema),
        )
          ? []
          : [`${name}: a body without a schema`]),
        ...security
          .flatMap((one) => Object.keys(one))
          .filter((scheme) => !(scheme in securitySchemes))
          .map((scheme) => `${name}: ${scheme}`),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('has an example for every body, and each example matches its schema', () => {
    const wrong = operations.flatMap(([name, , operation]) =>
      bodiesOf(operation).flatMap(({ content }) => {
        const { schema = {}, example } = content?.['application/json'] ?? {};
        // Streams and files have no example.
        if (content && !('application/json' in content)) return [];
        if (example === undefined) return [`${name}: no example`];
        const validate = compile(schema);
        return validate(example) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('declares an etag in responses to writes of resources, but not to DELETE', () => {
    const withTag = operations.flatMap(([name, , { responses }]) =>
      Object.values(responses).some(({ headers }) => headers?.['etag']) ? [name] : [],
    );
    expect(withTag).toContain('put /v1/configs/{config}');
    expect(withTag.filter((name) => name.startsWith('delete'))).toEqual([]);
  });

  it('describes every call of the set-up guides', () => {
    const folder = join(__dirname, '..', '..', '..', 'docs', 'guides');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const calls = texts.flatMap((text) => [
      ...text.matchAll(/curl -X (\w+) https:\/\/gateway\.example\.com(\/\S+)[^`]*?-d '((?:[^']|'\$\w+')*)'/g),
    ]);
    const wrong = calls.flatMap(([, method = '', path = '', body = '']) => {
      const name = `${method.toLowerCase()} ${path}`;
      const [, , operation] = operations.find(([known]) => known === name) ?? [];
      const schema = operation?.requestBody?.content?.['application/json']?.schema;
      if (schema === undefined) return [`${name} is not documented`];
      const validate = compile(schema);
      return validate(JSON.parse(body)) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(wrong).toEqual([]);
    expect(calls.length).toBeGreaterThanOrEqual(8);
  });
});
