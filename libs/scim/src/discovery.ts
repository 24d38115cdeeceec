import { RESOURCE_KINDS, SCHEMAS, type Attribute, type ResourceKind, type Schema } from './schemas';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:';

/** Maximum number of resources in a page. */
export const PAGE_MAX = 200;

const attributeDocument = (attribute: Attribute): object => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.multiValued ?? false,
  description: attribute.description,
  required: attribute.required ?? false,
  caseExact: attribute.caseExact ?? false,
  mutability: attribute.mutability ?? 'readWrite',
  returned: attribute.returned ?? 'default',
  uniqueness: attribute.uniqueness ?? 'none',
  ...(attribute.type === 'reference' ? { referenceTypes: ['uri'] } : {}),
  ...(attribute.sub === undefined ? {} : { subAttributes: attribute.sub.map(attributeDocument) }),
});

const schemaDocument = ({ id, name, description, attributes }: Schema, base: string): object => ({
  schemas: [`${CORE}Schema`],
  id,
  name,
  description,
  attributes: attributes.map(attributeDocument),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

const kindDocument = (
  { name, endpoint, description, schema, extension }: ResourceKind,
  base: string,
): object => ({
  schemas: [`${CORE}ResourceType`],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  schemaExtensions: extension === null ? [] : [{ schema: extension.id, required: false }],
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

/** Returns the documents of `/Schemas`, by id in lower case. `base`: URL of the SCIM endpoints. */
export const schemaDocuments = (base: string): ReadonlyMap<string, object> =>
  new Map(SCHEMAS.map((schema) => [schema.id.toLowerCase(), schemaDocument(schema, base)]));

/** Returns the documents of `/ResourceTypes`, by id in lower case. */
export const kindDocuments = (base: string): ReadonlyMap<string, object> =>
  new Map(RESOURCE_KINDS.map((kind) => [kind.name.toLowerCase(), kindDocument(kind, base)]));

/**
 * Returns the document of `/ServiceProviderConfig`. `bulk` null: bulk requests are not supported.
 */
export const providerConfig = (
  base: string,
  bulk: { readonly operations: number; readonly bytes: number } | null,
): object => ({
  schemas: [`${CORE}ServiceProviderConfig`],
  patch: { supported: true },
  bulk: {
    supported: bulk !== null,
    maxOperations: bulk?.operations ?? 0,
    maxPayloadSize: bulk?.bytes ?? 0,
  },
  filter: { supported: true, maxResults: PAGE_MAX },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The SCIM token of the organisation, in the header Authorization.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});
