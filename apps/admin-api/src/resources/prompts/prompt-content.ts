import { PromptEntity, PromptVersionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { compilePartial, compilePrompt } from '@gw/prompts';
import { invalid } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import { isOpenTo, splitReference, type PromptType } from '../../platform/rows/prompt-rows';
import { FOR_REFERENCE } from '../../platform/unit-of-work/writes';

/** Content of a version. Fields that partials do not have are null or empty. */
export type VersionContent = Pick<
  PromptVersionEntity,
  | 'template'
  | 'isRaw'
  | 'description'
  | 'parameters'
  | 'model'
  | 'virtualKey'
  | 'functions'
  | 'tools'
  | 'toolChoice'
  | 'metadata'
>;

export const EMPTY_CONTENT: VersionContent = {
  template: '',
  isRaw: false,
  description: null,
  parameters: {},
  model: null,
  virtualKey: null,
  functions: null,
  tools: null,
  toolChoice: null,
  metadata: null,
};

const NAMES = Object.keys(EMPTY_CONTENT) as (keyof VersionContent)[];

/** Returns the content of a version, without its identity. */
export const copyOf = (version: PromptVersionEntity): VersionContent => ({
  ...EMPTY_CONTENT,
  ...Object.fromEntries(NAMES.map((name) => [name, version[name]])),
});

const PARTIALS_MAX = 100;

/**
 * Throws `conflict` if the version includes a deleted partial: a version that callers can address
 * could then not be rendered.
 */
export async function assertPartialsExist(
  manager: EntityManager,
  { number, partialIds }: Pick<PromptVersionEntity, 'number' | 'partialIds'>,
): Promise<void> {
  if (partialIds.length === 0) return;
  const where = { id: In([...partialIds]) };
  const partials = await manager.find(PromptEntity, { where, order: { id: 'ASC' }, lock: FOR_REFERENCE });
  const gone = partials.find(({ status }) => status !== 'active');
  if (gone === undefined) return;
  throw new GatewayError('conflict', {
    message: `Version ${String(number)} includes a deleted partial, ${gone.slug}; save a new version without it.`,
  });
}

/** The prompt or partial in which a template is saved. */
type Place = Pick<PromptEntity, 'id' | 'organisationId' | 'workspaceId'>;

/**
 * Returns the ids of the partials that a template includes. Throws `validation_failed` for an
 * invalid template, for a partial or version that the workspace does not have, and for a partial
 * that would include itself.
 */
export async function partialIdsOf(
  manager: EntityManager,
  type: PromptType,
  content: VersionContent,
  place: Place,
): Promise<string[]> {
  const references = [...referencesIn(type, content)];
  if (references.length > PARTIALS_MAX) {
    throw invalid('string', `a template can include at most ${String(PARTIALS_MAX)} partials`);
  }
  const ids = new Set<string>();
  for (const reference of references) {
    const partial = await partialNamed(manager, reference, place);
    if (partial === null) throw invalid('string', `the workspace has no partial ${reference}`);
    ids.add(partial.id);
  }
  if (type === 'partial') await assertNotWithin(manager, place.id, [...ids]);
  return [...ids];
}

function referencesIn(type: PromptType, { template, isRaw }: VersionContent): ReadonlySet<string> {
  try {
    return type === 'prompt' ? compilePrompt(template, isRaw).partials : compilePartial(template).partials;
  } catch (error) {
    if (error instanceof GatewayError) throw invalid('string', error.message);
    throw error;
  }
}

/**
 * Returns the partial that a reference names; null when the workspace does not have the partial or
 * the version.
 */
async function partialNamed(
  manager: EntityManager,
  reference: string,
  { organisationId, workspaceId }: Place,
): Promise<PromptEntity | null> {
  const [name, version] = splitReference(reference);
  const row = await manager.findOne(PromptEntity, {
    where: {
      organisationId,
      type: 'partial',
      status: 'active',
      ...(isUuid(name) ? { id: name.toLowerCase() } : { slug: name }),
    },
    lock: FOR_REFERENCE,
  });
  if (!row || !(await isOpenTo(manager, row, workspaceId))) return null;
  if (version === null || version === 'latest') return row;
  const exists = await manager.existsBy(PromptVersionEntity, { promptId: row.id, number: Number(version) });
  return exists ? row : null;
}

/**
 * Throws when a partial would include itself. Follows only published and latest versions; the
 * gateway bounds inclusion by older versions when it renders.
 */
async function assertNotWithin(manager: EntityManager, id: string, first: readonly string[]): Promise<void> {
  const seen = new Set<string>();
  let next = [...first];
  while (next.length > 0) {
    if (next.includes(id)) throw invalid('string', 'a partial cannot include itself');
    for (const each of next) seen.add(each);
    const rows = await manager.findBy(PromptEntity, { id: In(next), status: 'active' });
    const versionIds = rows.flatMap((row) => [row.publishedVersionId, row.latestVersionId]);
    const versions = await manager.find(PromptVersionEntity, {
      where: { id: In(versionIds) },
      select: { id: true, partialIds: true },
    });
    next = [...new Set(versions.flatMap(({ partialIds }) => partialIds))].filter((each) => !seen.has(each));
  }
}
