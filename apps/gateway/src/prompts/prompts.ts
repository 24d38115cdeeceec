import {
  documentKey,
  type PromptDocument,
  type PromptVersionDocument,
  type ReadModelDocument,
} from '@gw/contracts';
import { GatewayError, nearestName } from '@gw/kernel';
import {
  compilePartial,
  compilePrompt,
  type CompiledPrompt,
  type PartialReference,
  type Template,
} from '@gw/prompts';
import { didYouMean } from '../configs/near-slugs';
import type { Documents } from '../auth/documents';
import type { GatewayPrincipal } from '../auth/principals';

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

/** Maximum number of partials in one prompt, including nested ones. */
const PARTIALS_MAX = 200;

/** Finds prompts and their partials, and compiles each version once. */
export class Prompts {
  private readonly compiled = new WeakMap<PromptVersionDocument, CompiledPrompt>();
  private readonly read = new WeakMap<PromptVersionDocument, ReadPartial>();

  constructor(private readonly documents: Documents) {}

  /**
   * Resolves a reference: slug or id, optionally followed by `@` and a version number, a label or
   * `latest`. Throws `not_found` if the workspace has no such prompt, even if another one does, and
   * `prompt_invalid` for a partial that it does not have.
   */
  async resolve(principal: GatewayPrincipal, reference: string): Promise<ResolvedPrompt> {
    const found = await this.find(principal, 'prompt', reference);
    if (!('version' in found))
      throw new GatewayError('not_found', {
        message:
          missing('prompt in this workspace with that id or slug', found) +
          this.near(principal, reference, found),
      });
    const { document, version } = found;
    let compiled = this.compiled.get(version);
    if (!compiled) {
      compiled = compilePrompt(version.template, version.isRaw);
      this.compiled.set(version, compiled);
    }
    return { document, version, compiled, partials: await this.partialsOf(principal, compiled.partials) };
  }

  /** Suggests a similar name among the prompts that the workspace may use. */
  private near(
    { organisation, workspace }: GatewayPrincipal,
    reference: string,
    { document }: Missing,
  ): string {
    if (document !== null) return '';
    const [slug = ''] = reference.split('@', 1);
    const isOpen = (each: ReadModelDocument): boolean =>
      each.kind === 'prompt' && each.type === 'prompt' && isOpenTo(each, workspace.id);
    return didYouMean(this.documents, documentKey.prompt(organisation.id, ''), slug, { isOpen });
  }

  private async partialsOf(
    principal: GatewayPrincipal,
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

  private async partial(principal: GatewayPrincipal, reference: PartialReference): Promise<ReadPartial> {
    const found = await this.find(principal, 'partial', reference);
    if (!('version' in found)) {
      throw new GatewayError('prompt_invalid', {
        message: missing(`partial ${reference} in this workspace`, found),
        extra: { partial: reference },
      });
    }
    const { version } = found;
    let read = this.read.get(version);
    if (!read) {
      read = compilePartial(version.template);
      this.read.set(version, read);
    }
    return read;
  }

  private async find(
    { organisation, workspace }: GatewayPrincipal,
    type: PromptDocument['type'],
    reference: string,
  ): Promise<Found | Missing> {
    const at = reference.indexOf('@');
    const name = at === -1 ? reference : reference.slice(0, at);
    if (!NAME.test(name)) return UNKNOWN;
    const document = await this.load(documentKey.prompt(organisation.id, name));
    if (document?.kind !== 'prompt' || document.type !== type || !isOpenTo(document, workspace.id))
      return UNKNOWN;
    const wanted = at === -1 ? null : reference.slice(at + 1);
    const versionId = versionMeant(document, wanted);
    const version =
      versionId === undefined ? null : await this.load(documentKey.promptVersion(organisation.id, versionId));
    return version?.kind === 'prompt_version' ? { document, version } : { document, wanted };
  }

  private async load(key: string): ReturnType<Documents['load']> {
    const known = this.documents.get(key);
    return known === undefined ? this.documents.load(key) : known;
  }
}

interface Found {
  readonly document: PromptDocument;
  readonly version: PromptVersionDocument;
}

/**
 * `document` null: the prompt is unknown or belongs to another workspace. Otherwise it has no
 * version `wanted`.
 */
interface Missing {
  readonly document: PromptDocument | null;
  readonly wanted: string | null;
}

const UNKNOWN: Missing = { document: null, wanted: null };

/** Explains which part of a reference is unknown, and what exists instead. */
function missing(what: string, { document, wanted }: Missing): string {
  if (document === null) return `There is no ${what}.`;
  const { slug, versions, labels, type } = document;
  if (wanted === null || wanted === 'latest' || wanted === 'default')
    return `${slug} has no published version.`;
  if (/^\d{1,9}$/.test(wanted)) {
    return `${slug} has no version ${wanted}; its versions are 1 to ${String(versions.length)}.`;
  }
  if (type !== 'prompt')
    return `${slug} has no version ${wanted.slice(0, NAME_MAX)}; give its number or latest.`;
  const near = nearestName(wanted, Object.keys(labels));
  const meant = near === null ? '' : ` Did you mean ${near}?`;
  return `${slug} has no version with the label ${wanted.slice(0, NAME_MAX)}.${meant}`;
}

const NAME_MAX = 64;

/** Matches ids and slugs. */
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
