import { UUID } from '@gw/kernel';
import type { DocumentKey, PromptDocument, PromptVersionDocument, ReadModelDocument } from '@gw/contracts';
import {
  LabelEntity,
  PromptEntity,
  PromptLabelEntity,
  PromptShareEntity,
  PromptVersionEntity,
} from '@gw/entities';
import { In, type EntityManager } from 'typeorm';
import { versioned } from './document-builders';

interface Wanted {
  readonly key: DocumentKey;
  readonly organisationId: string;
  readonly name: string;
}

type Documents = Map<DocumentKey, ReadModelDocument>;

/** Adds the documents of prompts and partials by slug or id. */
export async function addPrompts(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const names = wanted.map(({ name }) => name);
  const rows = await manager.find(PromptEntity, {
    where: [
      { slug: In(names), status: 'active' },
      { id: In(names.filter((name) => UUID.test(name))), status: 'active' },
    ],
  });
  if (rows.length === 0) return;
  const parts = await partsOf(manager, rows);
  const byName = new Map<string, PromptEntity>();
  for (const row of rows) {
    byName.set(`${row.organisationId}:${row.slug}`, row);
    byName.set(`${row.organisationId}:${row.id}`, row);
  }
  for (const { key, organisationId, name } of wanted) {
    const row = byName.get(`${organisationId}:${name}`);
    if (row) to.set(key, promptDocument(row, parts));
  }
}

export async function addPromptVersions(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Documents,
): Promise<void> {
  const id = In(wanted.map(({ name }) => name).filter((name) => UUID.test(name)));
  if (wanted.length === 0) return;
  const versions = await manager.find(PromptVersionEntity, { where: { id } });
  const prompts = new Map(
    (await manager.find(PromptEntity, { where: { id: In(versions.map(({ promptId }) => promptId)) } })).map(
      (prompt) => [prompt.id, prompt],
    ),
  );
  const byId = new Map(versions.map((version) => [version.id, version]));
  for (const { key, organisationId, name } of wanted) {
    const version = byId.get(name);
    const prompt = version && prompts.get(version.promptId);
    if (!version || prompt?.organisationId !== organisationId || prompt.status !== 'active') continue;
    to.set(key, versionDocument(version, organisationId));
  }
}

interface Parts {
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly shares: ReadonlyMap<string, readonly string[]>;
}

async function partsOf(manager: EntityManager, rows: readonly PromptEntity[]): Promise<Parts> {
  const promptId = In(rows.map(({ id }) => id));
  const versions = await manager.find(PromptVersionEntity, {
    where: { promptId },
    select: { id: true, promptId: true, number: true },
    order: { number: 'ASC' },
  });
  const mapped = await manager.find(PromptLabelEntity, { where: { promptId } });
  const labels = new Map(
    (
      await manager.find(LabelEntity, {
        where: { id: In(mapped.map(({ labelId }) => labelId)), status: 'active' },
      })
    ).map(({ id, name }) => [id, name]),
  );
  const shares = await manager.find(PromptShareEntity, {
    where: { promptId },
    order: { workspaceId: 'ASC' },
  });
  return {
    versions: grouped(versions, ({ id }) => id),
    shares: grouped(shares, ({ workspaceId }) => workspaceId),
    labels: new Map(
      rows.map(({ id }) => [
        id,
        Object.fromEntries(
          mapped
            .filter((mapping) => mapping.promptId === id)
            .flatMap(({ labelId, versionId }) => {
              const name = labels.get(labelId);
              return name === undefined ? [] : [[name, versionId] as const];
            })
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ]),
    ),
  };
}

function grouped<T extends { readonly promptId: string }>(
  rows: readonly T[],
  valueOf: (row: T) => string,
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const group = groups.get(row.promptId);
    if (group) group.push(valueOf(row));
    else groups.set(row.promptId, [valueOf(row)]);
  }
  return groups;
}

const promptDocument = (row: PromptEntity, { versions, labels, shares }: Parts): PromptDocument =>
  versioned<PromptDocument>({
    kind: 'prompt',
    id: row.id,
    slug: row.slug,
    type: row.type,
    organisationId: row.organisationId,
    workspaceId: row.workspaceId,
    sharedWith: row.accessLevel === 'organisation' ? 'organisation' : (shares.get(row.id) ?? []),
    versions: versions.get(row.id) ?? [],
    publishedVersionId: row.publishedVersionId,
    labels: labels.get(row.id) ?? {},
  });

const versionDocument = (row: PromptVersionEntity, organisationId: string): PromptVersionDocument =>
  versioned<PromptVersionDocument>({
    kind: 'prompt_version',
    id: row.id,
    promptId: row.promptId,
    organisationId,
    number: row.number,
    template: row.template,
    isRaw: row.isRaw,
    parameters: row.parameters,
    model: row.model,
    virtualKey: row.virtualKey,
    functions: row.functions,
    tools: row.tools,
    toolChoice: row.toolChoice,
  });
