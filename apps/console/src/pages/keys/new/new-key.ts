import { pathOfType, type KeyBody, type KeyType } from '../key-types';

/** Values of the wizard: the request body, and the key type of the path. */
export interface NewKey extends Partial<Omit<KeyBody, 'scopes'>> {
  readonly type: KeyType;
  readonly scopes: readonly string[];
}

/** An empty text within an object counts: it is sent, and the API refuses it. */
const isSet = (value: unknown): boolean => {
  if (value === null || value === undefined) return false;
  return typeof value !== 'object' || Object.values(value).some(isSet);
};

const isGiven = (value: unknown): boolean => value !== '' && isSet(value);

/** Builds the request body from the values that the user entered. */
export function bodyOf(values: NewKey, workspaceId: string): KeyBody {
  const { type, name = '', scopes, ...rest } = values;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => isGiven(value)));
  const place = type === 'organisation-service' ? {} : { workspace_id: workspaceId };
  return { ...given, name: name.trim(), scopes: [...scopes], ...place };
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Formats the call as a curl command, with the caller's credential as a variable. */
export function curlOf(values: NewKey, workspaceId: string, origin: string): string {
  const { type, subType } = pathOfType(values.type);
  return [
    `curl ${origin}/v1/api-keys/${type}/${subType} \\`,
    `  -H "x-gw-api-key: $TOLLGATE_ADMIN_KEY" -H 'content-type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(bodyOf(values, workspaceId), null, 2))}`,
  ].join('\n');
}
