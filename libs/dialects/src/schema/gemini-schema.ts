import type { JsonObject } from '../call';
import { invalid } from '../losses';
import { asArray, asObject, asString, objectsOf } from '../values/json';

/** Maximum number of schemas in one schema after its references are resolved. */
const NODES_MAX = 10_000;
/** Maximum depth of schemas. */
const DEPTH_MAX = 64;
/** Maximum number of characters and steps of a reference. */
const POINTER_MAX = 1_024;

/** Type names of Google's OpenAPI subset by JSON Schema type. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'STRING',
  number: 'NUMBER',
  integer: 'INTEGER',
  boolean: 'BOOLEAN',
  array: 'ARRAY',
  object: 'OBJECT',
};
/** Formats that models before 2.5 accept; they respond with 400 to others. */
const FORMATS: ReadonlySet<string> = new Set(['enum', 'date-time', 'float', 'double', 'int32', 'int64']);
/** Members that both forms have under the same name and meaning. */
const SAME = [
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minProperties',
  'maxProperties',
] as const;
/** Members that the conversion reads; other members are lost. */
const READ: ReadonlySet<string> = new Set([
  ...SAME,
  'type',
  'nullable',
  'format',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'anyOf',
  '$ref',
  '$defs',
  'definitions',
  '$schema',
  'propertyOrdering',
]);

export interface OpenApiSchema {
  readonly schema: JsonObject;
  /** Whether a constraint of the JSON Schema could not be expressed. */
  readonly relaxed: boolean;
}

/**
 * Converts a JSON Schema to the OpenAPI subset of models before Gemini 2.5. Local references are
 * resolved. Throws `validation_failed` with `path` for a recursive schema, an unknown reference,
 * and a schema beyond 10,000 nodes or 64 levels.
 */
export function openApiSchema(schema: JsonObject, path: string): OpenApiSchema {
  const conversion = new ToOpenApi(schema, path);
  const converted = conversion.convert(schema, 0);
  return { schema: converted, relaxed: conversion.relaxed };
}

class ToOpenApi {
  relaxed = false;
  private nodes = 0;
  /** Targets of the references that are being resolved. */
  private readonly resolving = new Set<JsonObject>();

  constructor(
    private readonly root: JsonObject,
    private readonly path: string,
  ) {}

  convert(given: unknown, depth: number): JsonObject {
    this.nodes += 1;
    if (this.nodes > NODES_MAX || depth > DEPTH_MAX) throw tooLarge(this.path);
    const schema = asObject(given);
    if (schema === null) {
      // `true` allows every value.
      this.relaxed = true;
      return {};
    }
    const reference = asString(schema['$ref']);
    if (reference !== null) return this.resolved(reference, schema, depth);
    return this.members(this.merged(schema), depth);
  }

  private resolved(reference: string, schema: JsonObject, depth: number): JsonObject {
    const target = this.find(reference);
    if (this.resolving.has(target)) {
      throw invalid(this.path, `The schema is recursive at ${reference}, which this model does not take.`);
    }
    this.resolving.add(target);
    const { $ref: _reference, $defs: _defs, definitions: _definitions, ...siblings } = schema;
    const found = this.convert({ ...target, ...siblings }, depth + 1);
    this.resolving.delete(target);
    return found;
  }

  private find(reference: string): JsonObject {
    const steps = reference.length > POINTER_MAX ? [] : reference.split('/');
    let found: unknown = steps[0] === '#' ? this.root : undefined;
    for (const step of steps.slice(1)) {
      const holder = found as Record<string, unknown> | undefined | null;
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      found =
        typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
          ? holder[name]
          : undefined;
    }
    const target = asObject(found);
    if (target === null) {
      throw invalid(this.path, `The schema refers to ${reference.slice(0, 100)}, which it does not define.`);
    }
    return target;
  }

  /** Merges a single schema in `allOf` into the schema itself. */
  private merged(schema: JsonObject): JsonObject {
    const all = asArray(schema['allOf']);
    const [only] = all ?? [];
    const part = asObject(only);
    if (all?.length !== 1 || part === null) return schema;
    const { allOf: _all, ...rest } = schema;
    return { ...part, ...rest };
  }

  private members(schema: JsonObject, depth: number): JsonObject {
    const reference = asString(schema['$ref']);
    if (reference !== null) return this.resolved(reference, schema, depth);
    if (Object.keys(schema).some((name) => !READ.has(name))) this.relaxed = true;
    const { types, isNullable } = typesOf(schema);
    const options = this.options(schema, types, depth);
    const result: JsonObject = {};
    const [type] = options.schemas.length === 0 ? types : [];
    if (type !== undefined) result['type'] = TYPES[type];
    for (const name of SAME) if (schema[name] !== undefined) result[name] = schema[name];
    this.addFormat(schema, result);
    this.addValues(schema, result);
    this.addChildren(schema, type, result, depth);
    if (isNullable || options.isNullable) result['nullable'] = true;
    if (options.schemas.length > 1) result['anyOf'] = options.schemas;
    return options.schemas.length === 1 ? { ...options.schemas[0], ...result } : result;
  }

  private addChildren(schema: JsonObject, type: string | undefined, result: JsonObject, depth: number): void {
    if (type === 'object' || schema['properties'] !== undefined) this.addProperties(schema, result, depth);
    if (type === 'array' || schema['items'] !== undefined) this.addItems(schema, result, depth);
  }

  /** Converts the alternatives of `anyOf` and `oneOf`, or of several types. */
  private options(
    schema: JsonObject,
    types: readonly string[],
    depth: number,
  ): { readonly schemas: readonly JsonObject[]; readonly isNullable: boolean } {
    const given = asArray(schema['anyOf']) ?? asArray(schema['oneOf']);
    if (given === null) {
      const schemas =
        types.length < 2
          ? []
          : types.map((type) => this.convert({ ...alternative(schema), type }, depth + 1));
      return { schemas, isNullable: false };
    }
    const values = given.filter((option) => asObject(option)?.['type'] !== 'null');
    return {
      schemas: values.map((option) => this.convert(option, depth + 1)),
      isNullable: values.length < given.length,
    };
  }

  private addFormat(schema: JsonObject, result: JsonObject): void {
    const format = asString(schema['format']);
    if (format === null) return;
    if (FORMATS.has(format)) result['format'] = format;
    else this.relaxed = true;
  }

  /** Adds enumerated values, which must be texts. */
  private addValues(schema: JsonObject, result: JsonObject): void {
    const given = asArray(schema['enum']) ?? (schema['const'] === undefined ? null : [schema['const']]);
    if (given === null) return;
    const values = given.filter((value) => value !== null);
    if (values.length < given.length) result['nullable'] = true;
    if (values.every((value) => typeof value === 'string')) {
      result['type'] = 'STRING';
      result['enum'] = values;
      return;
    }
    this.relaxed = true;
    if (values.every((value) => typeof value === 'number')) {
      result['type'] ??= values.every(Number.isInteger) ? 'INTEGER' : 'NUMBER';
    } else if (values.every((value) => typeof value === 'boolean')) result['type'] ??= 'BOOLEAN';
  }

  private addProperties(schema: JsonObject, result: JsonObject, depth: number): void {
    result['type'] ??= 'OBJECT';
    const properties = asObject(schema['properties']) ?? {};
    const names = Object.keys(properties);
    if (names.length === 0) return;
    // `fromEntries` defines each name as an own member, `__proto__` too.
    result['properties'] = Object.fromEntries(
      names.map((name) => [name, this.convert(properties[name], depth + 1)]),
    );
    result['propertyOrdering'] = asArray(schema['propertyOrdering']) ?? names;
    const required = (asArray(schema['required']) ?? []).filter(
      (name) => typeof name === 'string' && Object.hasOwn(properties, name),
    );
    if (required.length > 0) result['required'] = required;
  }

  private addItems(schema: JsonObject, result: JsonObject, depth: number): void {
    result['type'] ??= 'ARRAY';
    if (asObject(schema['items']) !== null) result['items'] = this.convert(schema['items'], depth + 1);
    else {
      // The subset requires a type for the items of a list.
      this.relaxed = true;
      result['items'] = { type: 'STRING' };
    }
  }
}

const tooLarge = (path: string): Error =>
  invalid(
    path,
    `The schema may have at most ${String(NODES_MAX)} schemas and ${String(DEPTH_MAX)} levels once its references are resolved.`,
  );

function alternative(schema: JsonObject): JsonObject {
  const { description: _description, nullable: _nullable, ...rest } = schema;
  return rest;
}

/** Returns the types without `null`; inferred from other members when absent. */
function typesOf(schema: JsonObject): { readonly types: readonly string[]; readonly isNullable: boolean } {
  const given = Array.isArray(schema['type']) ? (schema['type'] as unknown[]) : [schema['type']];
  const names = given.filter((type) => typeof type === 'string').map((type) => type.toLowerCase());
  const types = names.filter((name) => Object.hasOwn(TYPES, name));
  return { types, isNullable: names.includes('null') || schema['nullable'] === true };
}

/** Members of Google's schemas whose values are numbers written as text. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);
const SNAKE: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/**
 * Converts a schema of Google's OpenAPI subset to a JSON Schema. Members that are the same in both
 * forms stay unchanged. Throws `validation_failed` with `path` for a schema beyond 10,000 nodes or
 * 64 levels.
 */
export function jsonSchemaOf(schema: JsonObject, path: string): JsonObject {
  let nodes = 0;
  const convert = (given: JsonObject, depth: number): JsonObject => {
    nodes += 1;
    if (nodes > NODES_MAX || depth > DEPTH_MAX) throw tooLarge(path);
    const result: JsonObject = {};
    let ordering: unknown;
    for (const [spelled, value] of Object.entries(given)) {
      const name = Object.hasOwn(SNAKE, spelled) ? (SNAKE[spelled] ?? spelled) : spelled;
      if (name === 'propertyOrdering') ordering = value;
      else if (name !== 'nullable' && name !== '__proto__')
        result[name] = jsonMember(name, value, (item) => convert(item, depth + 1));
    }
    orderProperties(result, ordering);
    if (given['nullable'] === true) addNull(result);
    return result;
  };
  return convert(schema, 0);
}

function jsonMember(name: string, value: unknown, convert: (schema: JsonObject) => JsonObject): unknown {
  switch (name) {
    case 'type':
      return typeof value === 'string' ? value.toLowerCase() : value;
    case 'properties':
    case '$defs':
    case 'defs':
      return Object.fromEntries(
        Object.entries(asObject(value) ?? {}).map(([member, schema]) => [
          member,
          convert(asObject(schema) ?? {}),
        ]),
      );
    case 'items':
    case 'additionalProperties':
      return convertedValue(value, convert);
    case 'anyOf':
    case 'prefixItems':
      return objectsOf(value).map(convert);
    default:
      return COUNTS.has(name) ? countOf(value) : value;
  }
}

function convertedValue(value: unknown, convert: (schema: JsonObject) => JsonObject): unknown {
  const schema = asObject(value);
  return schema === null ? value : convert(schema);
}

const countOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** Orders the properties as in `ordering`, because the response follows the order of properties. */
function orderProperties(schema: JsonObject, ordering: unknown): void {
  const properties = asObject(schema['properties']);
  const names = asArray(ordering);
  if (properties === null || names === null) return;
  const first = new Set(names.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)));
  schema['properties'] = Object.fromEntries([
    ...[...first].map((name) => [name as string, properties[name as string]] as const),
    ...Object.entries(properties).filter(([name]) => !first.has(name)),
  ]);
}

function addNull(schema: JsonObject): void {
  const { type } = schema;
  const options = asArray(schema['anyOf']);
  if (typeof type === 'string') {
    schema['type'] = [type, 'null'];
    const values = asArray(schema['enum']);
    if (values !== null) schema['enum'] = [...values, null];
  } else if (options !== null) schema['anyOf'] = [...options, { type: 'null' }];
}
