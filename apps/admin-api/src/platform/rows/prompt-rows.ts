import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  LabelEntity,
  PromptEntity,
  PromptLabelEntity,
  PromptShareEntity,
  PromptVersionEntity,
} from '@gw/entities';
import { GatewayError, isStorableText } from '@gw/kernel';
import { In, Not, Raw, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { byReference } from '../auth/tenancy';
import type { Resource } from '../resource/rows';
import { versionNamed, type Versions } from '../resource/versioned';

export type PromptType = PromptEntity['type'];

/** Returns the document keys of a prompt: by slug and by id. */
export const keysOf = ({
  organisationId,
  slug,
  id,
}: Pick<PromptEntity, 'organisationId' | 'slug' | 'id'>): DocumentKey[] => [
  documentKey.prompt(organisationId, slug),
  documentKey.prompt(organisationId, id),
];

/** Condition for prompts of other workspaces that are shared with this one. */
export const sharedWith = (workspaceId: string): FindOptionsWhere<PromptEntity> => ({
  workspaceId: Not(workspaceId),
  accessLevel: Raw(
    (level) => {
      // The column contains the alias of the query in which it occurs.
      const alias = level.slice(0, level.lastIndexOf('.'));
      return `(${level} = 'organisation' OR (${level} = 'workspaces' AND EXISTS (
         SELECT 1 FROM prompt_shares s WHERE s.prompt_id = ${alias}.id AND s.workspace_id = :sharedWith)))`;
    },
    { sharedWith: workspaceId },
  ),
});

/**
 * Describes prompts or partials to the functions for rows: a workspace can read its own and those
 * shared with it, and change its own.
 */
const resourceOf = (type: PromptType, plural: string): Resource<PromptEntity> => ({
  entity: PromptEntity,
  type: plural,
  view: async (row, _caller, manager) => ({
    id: row.id,
    slug: row.slug,
    name: row.name,
    collection_id: row.collectionId,
    status: row.status,
    access_level: row.accessLevel,
    version: (await latestOf(manager, row)).number,
  }),
  where: ({ organisationId, workspaceId }, reference) => {
    const one = { ...byReference(reference), organisationId, type, status: 'active' } as const;
    if (workspaceId === null) return one;
    return [{ workspaceId }, sharedWith(workspaceId)].map((where) => ({ ...one, ...where }));
  },
  allow: ({ workspaceId }, caller) => {
    if (caller.workspaceId === null || caller.workspaceId === workspaceId) return;
    throw new GatewayError('forbidden', {
      message: `Only the workspace that owns the ${type} may change it.`,
    });
  },
  documents: keysOf,
});

export const PROMPTS: Readonly<Record<PromptType, Resource<PromptEntity>>> = {
  prompt: resourceOf('prompt', 'prompts'),
  partial: resourceOf('partial', 'prompt_partials'),
};

/**
 * Versions of a prompt; limited in number, because a prompt's gateway document lists all of them.
 */
export const PROMPT_VERSIONS: Versions<PromptVersionEntity> = {
  entity: PromptVersionEntity,
  owner: 'promptId',
  max: 2_000,
};

/** Splits `slug@ref`; the version is null without an `@`. */
export function splitReference(reference: string): readonly [name: string, version: string | null] {
  const at = reference.indexOf('@');
  return at === -1 ? [reference, null] : [reference.slice(0, at), reference.slice(at + 1)];
}

/** Whether a workspace of the same organisation may use the prompt. */
export async function isOpenTo(
  manager: EntityManager,
  row: PromptEntity,
  workspaceId: string,
): Promise<boolean> {
  if (row.workspaceId === workspaceId || row.accessLevel === 'organisation') return true;
  if (row.accessLevel === 'workspace') return false;
  return manager.existsBy(PromptShareEntity, { promptId: row.id, workspaceId });
}

export const publishedOf = (
  manager: EntityManager,
  { publishedVersionId: id }: PromptEntity,
): Promise<PromptVersionEntity> => versionNamed(manager, PROMPT_VERSIONS, id);

export const latestOf = (
  manager: EntityManager,
  { latestVersionId: id }: PromptEntity,
): Promise<PromptVersionEntity> => versionNamed(manager, PROMPT_VERSIONS, id);

/**
 * Returns the version that a reference names: the published one for null or `default`, else by
 * number, `latest`, or the label of a prompt. Throws `not_found`.
 */
export async function referencedVersion(
  manager: EntityManager,
  row: PromptEntity,
  reference: string | null,
): Promise<PromptVersionEntity> {
  if (reference === null || reference === 'default') return publishedOf(manager, row);
  if (reference === 'latest') return latestOf(manager, row);
  if (/^\d{1,9}$/.test(reference)) return numbered(manager, row, Number(reference));
  if (row.type === 'partial')
    throw noVersion(row, `${reference.slice(0, NAME_MAX)}; send its number or latest`);
  const mapping = isStorableText(reference)
    ? await manager
        .createQueryBuilder(PromptLabelEntity, 'mapping')
        .innerJoin(LabelEntity, 'label', `label.id = mapping.labelId AND label.status = 'active'`)
        .where('mapping.promptId = :promptId AND label.name = :name', { promptId: row.id, name: reference })
        .getOne()
    : null;
  if (mapping === null) throw noVersion(row, `with the label ${reference.slice(0, NAME_MAX)}`);
  return manager.findOneByOrFail(PromptVersionEntity, { id: mapping.versionId });
}

export async function numbered(
  manager: EntityManager,
  row: PromptEntity,
  number: number,
): Promise<PromptVersionEntity> {
  const version = await manager.findOneBy(PromptVersionEntity, { promptId: row.id, number });
  if (version === null) throw noVersion(row, String(number));
  return version;
}

const NAME_MAX = 64;

/** Creates a `not_found` error for an existing prompt or partial without the requested version. */
const noVersion = ({ type, slug }: PromptEntity, which: string): GatewayError =>
  new GatewayError('not_found', { message: `The ${type} ${slug} has no version ${which}.` });

/** Returns a function that lists the labels of each version, sorted by name. */
export async function labelsOf(
  manager: EntityManager,
  versionIds: readonly string[],
): Promise<(versionId: string) => LabelEntity[]> {
  const mappings = await manager.findBy(PromptLabelEntity, { versionId: In([...versionIds]) });
  const labels = await manager.find(LabelEntity, {
    where: { id: In(mappings.map(({ labelId }) => labelId)), status: 'active' },
    order: { name: 'ASC' },
  });
  return (versionId) =>
    labels.filter(({ id }) =>
      mappings.some((mapping) => mapping.labelId === id && mapping.versionId === versionId),
    );
}
