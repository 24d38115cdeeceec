import type { JsonObject } from '../call';
import { invalid } from '../losses';
import { asArray, asObject, asString } from '../values/json';

/** Maximum number of schemas in one schema after its references are resolved. */
export const NODES_MAX = 10_000;
/** Maximum depth of schemas. */
export const DEPTH_MAX = 64;
/** Maximum number of schemas in all schemas of a request. */
const ALL_NODES_MAX = 50_000;
/** Maximum number of characters of texts and values that references of a request repeat. */
const REPEATED_MAX = 4 * 1024 * 1024;

/** Work of a request so far, whose schemas are converted in one turn of the event loop. */
export class SchemaWork {
  nodes = 0;
  repeated = 0;
}
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

/** Members that are converted, or lost as a whole. */
const TAKEN: ReadonlySet<string> = new Set([...READ, 'allOf', 'oneOf']);

export interface OpenApiSchema {
  readonly schema: JsonObject;
  /** Whether a constraint of the JSON Schema could not be expressed. */
  readonly relaxed: boolean;
}

/**
 * Converts a JSON Schema to the OpenAPI subset of models before Gemini 2.5. Local references are
 * resolved. Throws `validation_failed` with `path` for a recursive schema, an unknown reference,
 * and a schema beyond 10,000 nodes or 64 levels. `work` is that of the request, which is bounded
 * too.
 */
export function openApiSchema(schema: JsonObject, path: string, work = new SchemaWork()): OpenApiSchema {
  const conversion = new ToOpenApi(schema, path, work);
  const converted = conversion.convert(schema, 0);
  return { schema: converted, relaxed: conversion.relaxed };
}

class ToOpenApi {
  relaxed = false;
  private nodes = 0;
  /** Targets of the references that are being resolved. */
  private readonly resolving = new Set<JsonObject>();
  /** Members of each schema that are converted. */
  private readonly taken = new Map<JsonObject, JsonObject>();

  constructor(
    private readonly root: JsonObject,
    private readonly path: string,
    private readonly work: SchemaWork,
  ) {}

  convert(given: unknown, depth: number): JsonObject {
    this.nodes += 1;
    this.work.nodes += 1;
    if (this.work.nodes > ALL_NODES_MAX) throw tooMuch(this.path);
    if (this.nodes > NODES_MAX || depth > DEPTH_MAX) throw tooLarge(this.path);
    const schema = asObject(given);
    if (schema === null) {
      // `true` allows every value.
      this.relaxed = true;
      return {};
    }
    const taken = this.takenOf(schema);
    const reference = asString(taken['$ref']);
    if (reference !== null) return this.resolved(reference, taken, depth);
    return this.members(this.merged(taken), depth);
  }

  /**
   * Returns the members that are converted. They are found once for each schema, because the
   * schema may have many others and be referred to often.
   */
  private takenOf(schema: JsonObject): JsonObject {
    const known = this.taken.get(schema);
    if (known !== undefined) return known;
    const taken: JsonObject = {};
    for (const [name, value] of Object.entries(schema)) {
      if (TAKEN.has(name)) taken[name] = value;
      else this.relaxed = true;
    }
    this.taken.set(schema, taken);
    return taken;
  }

  private resolved(reference: string, schema: JsonObject, depth: number): JsonObject {
    const target = this.find(reference);
    if (this.resolving.has(target)) {
      throw invalid(this.path, `The schema is recursive at ${reference}, which this model does not take.`);
    }
    this.resolving.add(target);
    const { $ref: _reference, $defs: _defs, definitions: _definitions, ...siblings } = schema;
    const found = this.convert({ ...this.takenOf(target), ...siblings }, depth + 1);
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
    return { ...this.takenOf(part), ...rest };
  }

  /** Counts the texts and values of a schema that a reference repeats. */
  private countRepeated(schema: JsonObject): void {
    if (this.resolving.size === 0) return;
    const { description, pattern, enum: values, required } = schema;
    for (const list of [[description, pattern], values, required]) {
      for (const value of asArray(list) ?? []) {
        this.work.repeated += 1 + (asString(value)?.length ?? 0);
        if (this.work.repeated > REPEATED_MAX) throw tooMuch(this.path);
      }
    }
  }

  private members(schema: JsonObject, depth: number): JsonObject {
    const reference = asString(schema['$ref']);
    if (reference !== null) return this.resolved(reference, schema, depth);
    if (Object.keys(schema).some((name) => !READ.has(name))) this.relaxed = true;
    this.countRepeated(schema);
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

export const tooLarge = (path: string): Error =>
  invalid(
    path,
    `The schema may have at most ${String(NODES_MAX)} schemas and ${String(DEPTH_MAX)} levels once its references are resolved.`,
  );

const tooMuch = (path: string): Error =>
  invalid(
    path,
    `The schemas of a request may have at most ${String(ALL_NODES_MAX)} schemas and 4 MiB of repeated texts once their references are resolved.`,
  );

function alternative(schema: JsonObject): JsonObject {
  const { description: _description, nullable: _nullable, ...rest } = schema;
  return rest;
}

/** Returns the types without `null`; inferred from other members when absent. */
function typesOf(schema: JsonObject): { readonly types: readonly string[]; readonly isNullable: boolean } {
  const given = Array.isArray(schema['type']) ? (schema['type'] as unknown[]) : [schema['type']];
  const names = given.filter((type) => typeof type === 'string').map((type) => type.toLowerCase());
  const types = new Set(names.filter((name) => Object.hasOwn(TYPES, name)));
  return { types: [...types], isNullable: names.includes('null') || schema['nullable'] === true };
}
