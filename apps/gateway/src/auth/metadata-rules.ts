import { applyMetadataSchema, readMetadataSchema, type MetadataSchema } from '@gw/config-schema';
import { HEADER, type OrganisationDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';

/** Schemas, compiled once for each version of an organisation's document and collected with it. */
const compiled = new WeakMap<OrganisationDocument, MetadataSchema>();

/**
 * Applies the organisation's schema to the merged metadata of request, key and workspace, and adds
 * its defaults. Throws `validation_failed` when the metadata violates the schema.
 */
export function heldRequestMetadata(
  organisation: OrganisationDocument,
  metadata: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const saved = organisation.requestMetadataSchema;
  if (saved === undefined || saved === null) return metadata;
  let schema = compiled.get(organisation);
  if (!schema) {
    ({ schema } = readMetadataSchema(saved, ''));
    compiled.set(organisation, schema);
  }
  const held = applyMetadataSchema(schema, metadata, 'metadata');
  const [first] = held.faults;
  if (!first) return held.metadata;
  throw new GatewayError('validation_failed', {
    param: HEADER.metadata,
    message: `${first.path}: ${first.message}`,
    details: held.faults,
  });
}
