import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  LabelEntity,
  PromptEntity,
  PromptLabelEntity,
  PromptShareEntity,
  PromptVersionEntity,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { isStorableText } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { FOR_UPDATE } from '../unit-of-work/writes';
import type { Principal } from '../common/principal';
import { byReference, found, isUuid } from '../auth/tenancy';

export type PromptType = PromptEntity['type'];

/** The name of each in the audit log. */
export const RESOURCE: Readonly<Record<PromptType, string>> = {
  prompt: 'prompts',
  partial: 'prompt_partials',
};

/** The user, or the API key that has none. */
export const actorOf = ({ userId, apiKeyId }: Principal): string | null => userId ?? apiKeyId;

/** Gateways ask for it by its slug and by its id. */
export const keysOf = ({
  organisationId,
  slug,
  id,
}: Pick<PromptEntity, 'organisationId' | 'slug' | 'id'>): DocumentKey[] => [
  documentKey.prompt(organisationId, slug),
  documentKey.prompt(organisationId, id),
];

/** `slug@ref` in its parts; without an `@`, null for the version. */
export function splitReference(reference: string): readonly [name: string, version: string | null] {
  const at = reference.indexOf('@');
  return at === -1 ? [reference, null] : [reference.slice(0, at), reference.slice(at + 1)];
}

/**
 * One that the caller may read: of their workspace, or shared with it. Without a workspace, any of the organisation. Throws
 * `not_found`, alike for what is unknown and what is another's.
 */
export async function findReadable(
  manager: EntityManager,
  caller: Principal,
  type: PromptType,
  reference: string,
): Promise<PromptEntity> {
  const { organisationId, workspaceId } = caller;
  const row = found(
    await manager.findOne(PromptEntity, {
      where: { ...byReference(reference), organisationId, type, status: 'active' },
    }),
  );
  if (workspaceId !== null && !(await isOpenTo(manager, row, workspaceId)))
    throw new GatewayError('not_found');
  return row;
}

/** The same for a change, with the row locked. `forbidden` for one that is only shared with the caller's workspace. */
export async function findOwn(
  manager: EntityManager,
  caller: Principal,
  type: PromptType,
  reference: string,
): Promise<PromptEntity> {
  const { id, workspaceId } = await findReadable(manager, caller, type, reference);
  if (caller.workspaceId !== null && caller.workspaceId !== workspaceId) {
    throw new GatewayError('forbidden', {
      message: `Only the workspace that owns the ${type} may change it.`,
    });
  }
  return found(await manager.findOne(PromptEntity, { where: { id, status: 'active' }, lock: FOR_UPDATE }));
}

/** Whether a workspace of the same organisation may use it. */
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
): Promise<PromptVersionEntity> => manager.findOneByOrFail(PromptVersionEntity, { id });

export const latestOf = (
  manager: EntityManager,
  { latestVersionId: id }: PromptEntity,
): Promise<PromptVersionEntity> => manager.findOneByOrFail(PromptVersionEntity, { id });

/** The version that a reference means: none: the published one; a number; `latest`; a label of a prompt. Throws `not_found`. */
export async function versionMeant(
  manager: EntityManager,
  row: PromptEntity,
  reference: string | null,
): Promise<PromptVersionEntity> {
  if (reference === null || reference === 'default') return publishedOf(manager, row);
  if (reference === 'latest') return latestOf(manager, row);
  if (/^\d{1,9}$/.test(reference)) return numbered(manager, row, Number(reference));
  if (row.type === 'partial')
    throw noVersion(row, `${reference.slice(0, NAME_MAX)}; give its number or latest`);
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

/** Says that the prompt or partial is there and the version is not. */
const noVersion = ({ type, slug }: PromptEntity, which: string): GatewayError =>
  new GatewayError('not_found', { message: `The ${type} ${slug} has no version ${which}.` });

/** By its id. Throws `not_found`. */
export async function versionById(
  manager: EntityManager,
  { id: promptId }: PromptEntity,
  id: string,
): Promise<PromptVersionEntity> {
  if (!isUuid(id)) throw new GatewayError('not_found');
  return found(await manager.findOneBy(PromptVersionEntity, { promptId, id: id.toLowerCase() }));
}

/** The labels of each of the versions, by name. */
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
