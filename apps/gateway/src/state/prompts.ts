import { documentKey, type PromptDocument, type PromptVersionDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import {
  compilePartial,
  compilePrompt,
  type CompiledPrompt,
  type PartialReference,
  type Template,
} from '@gw/prompts';
import type { Documents, Principal } from './principals';

export interface ResolvedPrompt {
  readonly document: PromptDocument;
  readonly version: PromptVersionDocument;
  readonly compiled: CompiledPrompt;
  readonly partials: ReadonlyMap<PartialReference, Template>;
}

interface ReadPartial {
  readonly template: Template;
  readonly partials: ReadonlySet<PartialReference>;
}

/** Partials of one prompt, those within one another included. */
const PARTIALS_MAX = 200;

/** Finds prompts and the partials in them; each version is read once. */
export class Prompts {
  private readonly compiled = new WeakMap<PromptVersionDocument, CompiledPrompt>();
  private readonly read = new WeakMap<PromptVersionDocument, ReadPartial>();

  constructor(private readonly documents: Documents) {}

  /**
   * `reference`: slug or id, and behind an `@` a number, a label or `latest`. Throws `not_found` for what the workspace does not
   * have, whoever else has it, and `prompt_invalid` for a partial that it does not have.
   */
  async resolve(principal: Principal, reference: string): Promise<ResolvedPrompt> {
    const found = await this.find(principal, 'prompt', reference);
    if (found === null) throw new GatewayError('not_found', { message: 'No such prompt in this workspace.' });
    const [document, version] = found;
    let compiled = this.compiled.get(version);
    if (!compiled) {
      compiled = compilePrompt(version.template, version.isRaw);
      this.compiled.set(version, compiled);
    }
    return { document, version, compiled, partials: await this.partialsOf(principal, compiled.partials) };
  }

  private async partialsOf(
    principal: Principal,
    first: ReadonlySet<PartialReference>,
  ): Promise<ReadonlyMap<PartialReference, Template>> {
    const found = new Map<PartialReference, Template>();
    let next = [...first];
    while (next.length > 0) {
      if (found.size + next.length > PARTIALS_MAX) {
        throw new GatewayError('prompt_invalid', {
          message: `A prompt includes at most ${String(PARTIALS_MAX)} partials.`,
        });
      }
      const read = await Promise.all(next.map((reference) => this.partial(principal, reference)));
      next.forEach((reference, at) => found.set(reference, (read[at] as ReadPartial).template));
      next = [...new Set(read.flatMap(({ partials }) => [...partials]))].filter((each) => !found.has(each));
    }
    return found;
  }

  private async partial(principal: Principal, reference: PartialReference): Promise<ReadPartial> {
    const found = await this.find(principal, 'partial', reference);
    if (found === null) {
      throw new GatewayError('prompt_invalid', {
        message: `There is no partial ${reference} in this workspace.`,
        extra: { partial: reference },
      });
    }
    const [, version] = found;
    let read = this.read.get(version);
    if (!read) {
      read = compilePartial(version.template);
      this.read.set(version, read);
    }
    return read;
  }

  private async find(
    { organisation, workspace }: Principal,
    type: PromptDocument['type'],
    reference: string,
  ): Promise<readonly [PromptDocument, PromptVersionDocument] | null> {
    const at = reference.indexOf('@');
    const name = at === -1 ? reference : reference.slice(0, at);
    if (!NAME.test(name)) return null;
    const document = await this.load(documentKey.prompt(organisation.id, name));
    if (document?.kind !== 'prompt' || document.type !== type || !isOpenTo(document, workspace.id))
      return null;
    const versionId = versionMeant(document, at === -1 ? null : reference.slice(at + 1));
    if (versionId === undefined) return null;
    const version = await this.load(documentKey.promptVersion(organisation.id, versionId));
    return version?.kind === 'prompt_version' ? [document, version] : null;
  }

  private async load(key: string): ReturnType<Documents['load']> {
    const known = this.documents.get(key);
    return known === undefined ? this.documents.load(key) : known;
  }
}

/** Ids and slugs. */
const NAME = /^[\w-]{1,64}$/;

const isOpenTo = ({ workspaceId, sharedWith }: PromptDocument, asking: string): boolean =>
  workspaceId === asking || sharedWith === 'organisation' || sharedWith.includes(asking);

function versionMeant(document: PromptDocument, reference: string | null): string | undefined {
  const { versions, labels, publishedVersionId, type } = document;
  if (reference === null || reference === 'default') return publishedVersionId;
  if (reference === 'latest') return versions.at(-1);
  if (/^\d{1,9}$/.test(reference)) return versions[Number(reference) - 1];
  return type === 'prompt' && Object.hasOwn(labels, reference) ? labels[reference] : undefined;
}
