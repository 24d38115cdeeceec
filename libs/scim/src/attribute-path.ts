import { COMMON, type Attribute, type ResourceKind, type Schema } from './schemas';

/**
 * The attribute that a path such as `name.givenName` names. `extension`: URN of the attribute's
 * extension; null: the core schema.
 */
export interface AttributePath {
  readonly extension: string | null;
  readonly attribute: Attribute;
  readonly sub: Attribute | null;
}

const named = (attributes: readonly Attribute[] | undefined, name: string): Attribute | undefined =>
  attributes?.find((each) => each.name.toLowerCase() === name);

/**
 * Returns the rest of a path after the URN of a schema and a colon; null when the path does not
 * start with them.
 */
const behind = (path: string, { id }: Schema): string | null => {
  const urn = `${id.toLowerCase()}:`;
  return path.startsWith(urn) ? path.slice(urn.length) : null;
};

/**
 * Finds the attribute of a path: a name or a name with a sub-attribute, in any case, with or
 * without the URN of its schema. Null for an unknown path, so that no text of a request becomes a
 * name.
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

/** Whether a text is the URN of the kind's extension. */
export const isExtension = ({ extension }: ResourceKind, text: string): boolean =>
  extension !== null && extension.id.toLowerCase() === text.toLowerCase();
