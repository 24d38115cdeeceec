import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { OpenApiFault, resolved } from './document';
import { readForm } from './form';
import type { HttpBody, HttpMethod } from './http-operation';
import { jsonMedia } from './media-type';
import type { SchemaReader } from './schema';

/** Where a body is in its document. */
export interface BodyPlace {
  readonly document: JsonObject;
  readonly schemas: SchemaReader;
  readonly method: HttpMethod;
}

/** A body with the schema of its arguments. */
export interface DescribedBody {
  readonly body: HttpBody;
  readonly schema: JsonObject;
}

const COMPOSED = ['oneOf', 'anyOf', 'allOf', 'additionalProperties', 'patternProperties'];
/** Methods whose bodies have no meaning (RFC 9110, section 9.3). */
const BODILESS: ReadonlySet<HttpMethod> = new Set(['get', 'head', 'options']);

/**
 * Reads the body of an operation: JSON if possible, else a form. Null without a body, and for an
 * optional body of other media types. Throws an `OpenApiFault` for a required body that cannot be
 * sent. `taken` holds the argument names already in use.
 */
export function readBody(
  { document, schemas, method }: BodyPlace,
  value: unknown,
  taken: ReadonlySet<string>,
): DescribedBody | null {
  if (value === undefined || BODILESS.has(method)) return null;
  const described = resolved(document, value);
  const isRequired = own(described, 'required') === true;
  const content = ownObject(described, 'content');
  const json = jsonMedia(content);
  if (json !== null)
    return describedBody(
      { schema: schemas.read(own(json.media, 'schema') ?? {}, 'input'), ...typeOf(json.type) },
      { isRequired, taken },
    );
  const form = readForm({ document, schemas }, content);
  if (typeof form !== 'string') return describedBody(form, { isRequired, taken });
  if (!isRequired) return null;
  throw new OpenApiFault(form);
}

const JSON_TYPE = /^application\/[\w.-]{1,64}\+json$/;

/** Returns the media type of a body if it is another one than `application/json`. */
const typeOf = (type: string): Pick<HttpBody, 'type'> => (JSON_TYPE.test(type) ? { type } : {});

/** Returns a name for an argument that no other argument has, in the order of preference. */
export function freeArgument(first: string, second: string, taken: ReadonlySet<string>): string {
  if (!taken.has(first)) return first;
  let name = second;
  while (taken.has(name)) name = `${name}_`;
  return name;
}

/**
 * Turns the members of a flat object into separate arguments, unless parameters already have their
 * names.
 */
function describedBody(
  { schema, ...content }: { readonly schema: JsonObject } & Pick<HttpBody, 'type' | 'form'>,
  { isRequired, taken }: { readonly isRequired: boolean; readonly taken: ReadonlySet<string> },
): DescribedBody {
  const names = Object.keys(ownObject(schema, 'properties'));
  const isFlat =
    own(schema, 'type') === 'object' &&
    names.length > 0 &&
    !COMPOSED.some((keyword) => own(schema, keyword) !== undefined) &&
    !names.some((name) => taken.has(name));
  const argument = freeArgument('body', 'request_body', taken);
  return { body: { isRequired, argument, members: isFlat ? names : null, ...content }, schema };
}
