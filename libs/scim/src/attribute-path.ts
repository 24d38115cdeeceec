import { COMMON, type Attribute, type ResourceKind, type Schema } from './schemas';

/** Attribute of a path such as `name.givenName`. `extension`: the attribute belongs to the extension of the kind. */
export interface AttributePath {
  readonly extension: string | null;
  readonly attribute: Attribute;
  readonly sub: Attribute | null;
}

const named = (attributes: readonly Attribute[] | undefined, name: string): Attribute | undefined =>
  attributes?.find((each) => each.name.toLowerCase() === name);

/** Returns the rest of a path behind the URN of a schema and its colon; null when the path has another beginning. */
const behind = (path: string, { id }: Schema): string | null => {
  const urn = `${id.toLowerCase()}:`;
  return path.startsWith(urn) ? path.slice(urn.length) : null;
};

/**
 * Finds the attribute of a path: a name, or a name and a sub-attribute, in any case, with the URN of its schema or without. Null
 * for a path that names none, so no text of a request becomes a name.
 */
export function findPath(kind: ResourceKind, path: string): AttributePath | null {
  const { schema, extension } = kind;
  const lower = path.toLowerCase();
  const inExtension = extension === null ? null : behind(lower, extension);
  if (extension !== null && inExtension !== null)
    return inside(extension.attributes, inExtension, extension.id);
  const inSchema = behind(lower, schema);
  return inside([...schema.attributes, ...COMMON], inSchema ?? lower, null);
}

function inside(
  attributes: readonly Attribute[],
  path: string,
  extension: string | null,
): AttributePath | null {
  const [name = '', sub, ...rest] = path.split('.');
  const attribute = named(attributes, name);
  if (attribute === undefined || rest.length > 0) return null;
  if (sub === undefined) return { extension, attribute, sub: null };
  const found = named(attribute.sub, sub);
  return found === undefined ? null : { extension, attribute, sub: found };
}

/** The extension of the kind, if the text is its URN. */
export const isExtension = ({ extension }: ResourceKind, text: string): boolean =>
  extension !== null && extension.id.toLowerCase() === text.toLowerCase();
