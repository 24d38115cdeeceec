import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { resolved } from './document';
import { STYLES, type FormField, type HttpForm } from './http-operation';
import { essenceOf, isJsonType, mediaTypeOf } from './media-type';
import type { SchemaReader } from './schema';

const FIELDS_MAX = 200;
/** Supported media types; the gateway sends the first one that the operation accepts. */
const TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const;
const COMPOSED = ['oneOf', 'anyOf', 'allOf'];

interface FormPlace {
  readonly document: JsonObject;
  readonly schemas: SchemaReader;
}

export interface DescribedForm {
  readonly form: HttpForm;
  /** Schema of the fields; files are objects with their bytes in base64. */
  readonly schema: JsonObject;
}

/**
 * Reads the form among the media types of a body. Returns the reason if none of them can be sent.
 */
export function readForm({ document, schemas }: FormPlace, content: JsonObject): DescribedForm | string {
  const type = TYPES.find((each) => mediaTypeOf(content, (name) => essenceOf(name) === each) !== null);
  if (type === undefined) return 'Only bodies in JSON and forms are supported.';
  const media = mediaTypeOf(content, (name) => essenceOf(name) === type) ?? {};
  const raw = objectAt(document, own(media, 'schema'));
  const properties = ownObject(raw, 'properties');
  const count = Object.keys(properties).length;
  if (count === 0 || COMPOSED.some((keyword) => own(raw, keyword) !== undefined))
    return 'Only forms whose schema has properties, without allOf, anyOf and oneOf, are supported.';
  if (count > FIELDS_MAX) return `A form has at most ${String(FIELDS_MAX)} fields.`;
  const schema = { ...schemas.read(raw, 'input'), type: 'object' };
  const encodings = ownObject(media, 'encoding');
  const fields: [string, FormField][] = [];
  const shown: [string, unknown][] = [];
  for (const [name, property] of Object.entries(ownObject(schema, 'properties'))) {
    const field = fieldOf(type, ownObject(encodings, name), objectAt(document, own(properties, name)));
    if (typeof field === 'string') return `The field ${name.slice(0, 128)} ${field}`;
    const list = type === 'multipart/form-data' ? fileIn(document, own(properties, name)) : null;
    shown.push([name, list === null ? property : fileSchema(property, list)]);
    const whole = list === null ? field : { ...field, isFile: true as const };
    if (Object.keys(whole).length > 0) fields.push([name, whole]);
  }
  return {
    form: { type, fields: Object.fromEntries(fields) },
    schema: { ...schema, properties: Object.fromEntries(shown) },
  };
}

/**
 * Returns how a field is serialised according to its entry in `encoding`, or the reason why it
 * cannot be.
 */
function fieldOf(type: HttpForm['type'], encoding: JsonObject, property: JsonObject): FormField | string {
  const contentType = contentTypeOf(own(encoding, 'contentType'));
  if (type === 'multipart/form-data') return contentType === null ? {} : { contentType };
  const [style, explode] = [own(encoding, 'style'), own(encoding, 'explode')];
  if (style === undefined && explode === undefined) {
    const isJson = contentType !== null && isJsonType(contentType) && own(property, 'type') !== 'string';
    return isJson ? { style: 'json' } : {};
  }
  const known = STYLES.query.find((each) => each === (style ?? 'form'));
  if (known === undefined) return 'has a style that is not supported.';
  const isExploded = typeof explode === 'boolean' ? explode : known === 'form' || known === 'deepObject';
  return { style: known, explode: isExploded };
}

const CONTENT_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(?:; ?charset=utf-8)?$/i;

/**
 * Returns the first media type without a wildcard in a list such as `image/png, image/jpeg`; null
 * if there is none.
 */
function contentTypeOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 1_024) return null;
  const types = value.split(',').map((type) => type.trim());
  return types.find((type) => CONTENT_TYPE.test(type)) ?? null;
}

/** Returns whether a field is one file or a list of files; null for other fields. */
function fileIn(document: JsonObject, property: unknown): 'one' | 'list' | null {
  const schema = objectAt(document, property);
  if (isBinary(schema)) return 'one';
  return isBinary(objectAt(document, own(schema, 'items'))) ? 'list' : null;
}

/**
 * Returns whether a schema describes bytes: `format: binary` in OpenAPI 3.0, a media type without
 * an encoding in 3.1.
 */
function isBinary(schema: JsonObject): boolean {
  const [mediaType, type] = [own(schema, 'contentMediaType'), own(schema, 'type')];
  const isRaw = typeof mediaType === 'string' && !isJsonType(mediaType) && !mediaType.startsWith('text/');
  return (
    own(schema, 'format') === 'binary' ||
    (isRaw && own(schema, 'contentEncoding') === undefined && (type === undefined || type === 'string'))
  );
}

const objectAt = (document: JsonObject, value: unknown): JsonObject =>
  isObject(value) ? resolved(document, value) : {};

const FILE: JsonObject = {
  type: 'object',
  properties: {
    data: { type: 'string', contentEncoding: 'base64', description: 'Bytes of the file in base64.' },
    filename: { type: 'string', maxLength: 255 },
  },
  required: ['data'],
  additionalProperties: false,
};

function fileSchema(property: unknown, list: 'one' | 'list'): JsonObject {
  const schema = isObject(property) ? property : {};
  const description = own(schema, 'description');
  const shown = list === 'one' ? FILE : { type: 'array', items: FILE };
  return typeof description === 'string' ? { ...shown, description } : shown;
}
