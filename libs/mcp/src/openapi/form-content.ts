import { isObject, isWellFormed } from '@gw/kernel';
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';
import { OpenApiFault } from './document';
import type { FormField, HttpForm } from './http-operation';
import { isJsonType } from './media-type';
import { encoded, itemsOf, pairsWithin, scalarText } from './serialize';

/** Maximum number of fields of a form, counting list items, and of bytes of the whole form. */
const PARTS_MAX = 1_000;
const BYTES_MAX = 8_388_608;
const NAME_MAX = 256;

/**
 * Serialises a form. A list becomes one field for each item, an object becomes JSON, and null is
 * left out. `members` are the names of its arguments if there is one for each field. Throws an
 * `OpenApiFault` for values that a form cannot carry, and for more than 1,000 fields or 8 MiB.
 */
export function formContent(
  { type, fields }: HttpForm,
  values: JsonObject,
  members: readonly string[] | null,
): { readonly type: string; readonly bytes: Buffer } {
  const fieldValues = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return type === 'multipart/form-data'
    ? multipart(fields, fieldValues)
    : urlencoded({ type, fields }, fieldValues, new Set([...Object.keys(values), ...(members ?? [])]));
}

type FieldValues = readonly (readonly [string, unknown])[];

function urlencoded(
  { type, fields }: HttpForm,
  fieldValues: FieldValues,
  names: ReadonlySet<string>,
): { readonly type: string; readonly bytes: Buffer } {
  const size = new FormSize();
  const pairs = fieldValues.flatMap(([name, value]) => {
    const written = pairsOfField({ name, ...ownField(fields, name) }, value, names);
    for (const pair of written) size.add(pair.length + 1);
    return written;
  });
  return { type, bytes: Buffer.from(pairs.join('&')) };
}

function pairsOfField(
  { name, style, explode = true }: FormField & { readonly name: string },
  value: unknown,
  names: ReadonlySet<string>,
): readonly string[] {
  if (style !== undefined) return pairsWithin({ name, style, explode }, value, names);
  const key = encoded(name);
  return listOf(value).map((each) => `${key}=${encoded(textOf(each))}`);
}

function multipart(
  fields: HttpForm['fields'],
  fieldValues: FieldValues,
): { readonly type: string; readonly bytes: Buffer } {
  // Random, so that no argument can contain it.
  const boundary = `tollgate-${randomBytes(18).toString('hex')}`;
  const size = new FormSize();
  const pieces: Buffer[] = [];
  for (const [name, value] of fieldValues) {
    const field = ownField(fields, name);
    for (const each of listOf(value)) {
      const { head, bytes } =
        field.isFile === true ? filePart(name, field, each) : textPart(name, field, each);
      size.add(boundary.length + head.length + bytes.length + PART_SIGNS);
      pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), bytes, LINE_END);
    }
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(pieces) };
}

interface Part {
  readonly head: string;
  readonly bytes: Buffer;
}

const LINE_END = Buffer.from('\r\n');
/** Bytes of the dashes and line ends around a part. */
const PART_SIGNS = 10;

function textPart(name: string, { contentType }: FormField, value: unknown): Part {
  const type = contentType ?? (isObject(value) || Array.isArray(value) ? 'application/json' : null);
  const isText = type === null || !isJsonType(type) || typeof value === 'string';
  const text = isText ? textOf(value) : JSON.stringify(value);
  if (!isWellFormed(text)) throw new OpenApiFault('An argument has a broken surrogate.');
  return { head: headOf(name, null, type), bytes: Buffer.from(text) };
}

function filePart(
  name: string,
  { contentType = 'application/octet-stream' }: FormField,
  file: unknown,
): Part {
  const shown = name.slice(0, 128);
  const [data, filename] = isObject(file) ? [own(file, 'data'), own(file, 'filename') ?? 'file'] : [];
  if (typeof data !== 'string' || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    throw new OpenApiFault(
      `The argument ${shown} must be a file: an object with its bytes in base64 as data.`,
    );
  if (typeof filename !== 'string' || !FILE_NAME.test(filename) || !isWellFormed(filename))
    throw new OpenApiFault(
      `The filename of ${shown} must have 1 to 255 characters, and none that leads to another folder.`,
    );
  return { head: headOf(name, filename, contentType), bytes: Buffer.from(data, 'base64') };
}

/**
 * Allowed file names. Services may store a file under its name, so folders, drives, streams and
 * control characters are refused.
 */
const FILE_NAME = /^(?!\.{1,2}$)[^\u0000-\u001f\u007f/\\:]{1,255}$/;

function headOf(name: string, filename: string | null, type: string | null): string {
  if (name.length > NAME_MAX || !isWellFormed(name))
    throw new OpenApiFault(`The name of a field has at most ${String(NAME_MAX)} characters.`);
  const file = filename === null ? '' : `; filename="${quoted(filename)}"`;
  const content = type === null ? '' : `\r\nContent-Type: ${type}`;
  return `Content-Disposition: form-data; name="${quoted(name)}"${file}${content}`;
}

/** Escapes a name as browsers do (HTML, multipart form data). */
const quoted = (text: string): string =>
  text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const ownField = (fields: HttpForm['fields'], name: string): FormField =>
  Object.hasOwn(fields, name) ? (fields[name] ?? {}) : {};

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? itemsOf(value as readonly unknown[]) : [value];

const textOf = (value: unknown): string =>
  isObject(value) || Array.isArray(value) ? JSON.stringify(value) : scalarText(value);

/** Counts fields and bytes of a form while it is serialised. */
class FormSize {
  private parts = 0;
  private bytes = 0;

  add(bytes: number): void {
    this.parts += 1;
    this.bytes += bytes;
    if (this.parts > PARTS_MAX || this.bytes > BYTES_MAX)
      throw new OpenApiFault(
        `A form has at most ${String(PARTS_MAX)} fields and ${String(BYTES_MAX)} bytes.`,
      );
  }
}
