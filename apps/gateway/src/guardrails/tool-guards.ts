import { documentKey, type GuardrailDocument, type McpGuardrailMapping } from '@gw/contracts';
import {
  Subject,
  type CompiledGuardrail,
  type GuardrailStage,
  type RequestFacts,
  type StageVerdict,
} from '@gw/guardrails';
import { isObject } from '@gw/kernel';
import { resultText, withEditedResult, type JsonObject } from '@gw/mcp';
import { readDocument, type Documents } from '../auth/documents';
import type { RequestContext } from '../core/request-context';
import type { GuardTools } from './guarded-request';
import { GuardrailDenial } from './guardrail-denial';
import type { Guardrails } from './guardrails';
import { Guarding } from './guarding';
import { headersOf, workOf } from './request-subject';

/** The phase of a call in which a guardrail of an MCP server or agent judges. */
export type ToolPhase = 'beforeToolCall' | 'afterToolCall';

/** An MCP server or agent with its guardrails. */
export interface GuardedServer {
  readonly slug: string;
  readonly workspaceId: string;
  readonly guardrails: readonly McpGuardrailMapping[];
}

/** The capability of a result that is read later. Ids are UUIDs. */
export const UNKNOWN_CAPABILITY = 'unknown';

/** Subject of a guardrail: a capability of a server, and the arguments of its call. */
export interface ToolSubject {
  readonly server: GuardedServer;
  /** Type of the request; `mcp` when absent. */
  readonly requestType?: 'mcp' | 'a2a';
  /**
   * Id of the capability; null when only guardrails of the whole server apply, as to a prompt, a
   * resource, or a message that names no skill. `UNKNOWN_CAPABILITY` when it can be any: the
   * guardrails of all apply then.
   */
  readonly capabilityId: string | null;
  readonly arguments: JsonObject;
}

/** A denial of a call or a result, with the guardrail and the check that decided. */
export class ToolDenial extends GuardrailDenial {
  constructor(
    verdict: StageVerdict,
    readonly phase: ToolPhase,
  ) {
    super(
      verdict,
      phase === 'beforeToolCall' ? verdict.results : [],
      phase === 'beforeToolCall' ? [] : verdict.results,
    );
  }

  /** The first failed guardrail that denies, and its first failed check. */
  get decided(): { readonly guardrailId: string; readonly checkId: string } {
    const guardrails = [
      ...(this.results.before_request_hooks ?? []),
      ...(this.results.after_request_hooks ?? []),
    ];
    const guardrail = guardrails.find(({ verdict, deny }) => !verdict && deny) ?? guardrails[0];
    const check = guardrail?.checks.find(({ verdict }) => !verdict);
    return { guardrailId: guardrail?.id ?? '', checkId: check?.id ?? '' };
  }
}

/** Runs the guardrails of MCP servers and agents on calls and results. */
export class ToolGuards {
  constructor(
    private readonly documents: Documents,
    private readonly guardrails: Pick<Guardrails, 'ofTools'>,
    private readonly tools: GuardTools,
  ) {}

  /**
   * Judges the arguments of a call and resolves to them, with the changes of guardrails. Rejects
   * with `ToolDenial`.
   */
  async before(context: RequestContext, subject: ToolSubject): Promise<JsonObject> {
    const guardrails = await this.guardrailsFor(context, subject, 'beforeToolCall');
    if (guardrails.length === 0) return subject.arguments;
    const facts = factsOf(context, subject);
    const dialect = facts.requestType === 'mcp' ? 'arguments' : facts.dialect;
    const judged = Subject.input({ ...facts, dialect }, subject.arguments);
    const verdict = await this.judge(context, guardrails, judged, 'beforeToolCall');
    return isObject(verdict.body) ? verdict.body : subject.arguments;
  }

  /**
   * Judges a result and resolves to the changed result; null when nothing changes. `read` parses
   * the result and is called only if a guardrail judges it. Rejects with `ToolDenial`.
   */
  async after(
    context: RequestContext,
    subject: ToolSubject,
    read: () => JsonObject,
  ): Promise<JsonObject | null> {
    const guardrails = await this.guardrailsFor(context, subject, 'afterToolCall');
    if (guardrails.length === 0) return null;
    const result = read();
    const { texts } = resultText(result);
    const changes = await this.runOnTexts(guardrails, context, subject, texts);
    return changes && withEditedResult(result, (text) => changes.get(text) ?? text);
  }

  /**
   * Judges the texts of a result and resolves to the replacements of changed texts; null when
   * nothing changes. Rejects with `ToolDenial`.
   */
  async changesOf(
    context: RequestContext,
    subject: ToolSubject,
    texts: readonly string[],
  ): Promise<ReadonlyMap<string, string> | null> {
    const guardrails = await this.guardrailsFor(context, subject, 'afterToolCall');
    return guardrails.length === 0 ? null : this.runOnTexts(guardrails, context, subject, texts);
  }

  private async runOnTexts(
    guardrails: readonly CompiledGuardrail[],
    context: RequestContext,
    subject: ToolSubject,
    texts: readonly string[],
  ): Promise<ReadonlyMap<string, string> | null> {
    const judged = Subject.output(factsOf(context, subject), subject.arguments, { texts }, 200);
    const verdict = await this.judge(context, guardrails, judged, 'afterToolCall');
    return isObject(verdict.body) ? changesIn(texts, verdict.body['texts']) : null;
  }

  private async judge(
    context: RequestContext,
    guardrails: readonly CompiledGuardrail[],
    subject: Subject,
    phase: ToolPhase,
  ): Promise<StageVerdict> {
    const guarding = Guarding.ofTools(context, this.tools);
    guarding.watch(subject.stage, guardrails, subject);
    const verdict = await this.tools.runner.run(guardrails, subject);
    guarding.note(subject.stage, verdict.results);
    if (verdict.outcome === 'deny') throw new ToolDenial(verdict, phase);
    return verdict;
  }

  /**
   * Returns the guardrails that judge a capability in a phase, including those of the whole server.
   */
  private async guardrailsFor(
    { principal }: RequestContext,
    { server, capabilityId }: ToolSubject,
    phase: ToolPhase,
  ): Promise<readonly CompiledGuardrail[]> {
    const mappings = server.guardrails.filter(
      ({ runOn, capabilityIds }) =>
        runOn.includes(phase) &&
        (capabilityIds.length === 0 ||
          capabilityId === UNKNOWN_CAPABILITY ||
          (capabilityId !== null && capabilityIds.includes(capabilityId))),
    );
    if (mappings.length === 0 || principal === null) return NONE;
    const found = await Promise.all(
      mappings.map(({ guardrailId }) =>
        readDocument(this.documents, documentKey.guardrail(server.workspaceId, guardrailId)),
      ),
    );
    const stage: GuardrailStage = phase === 'beforeToolCall' ? 'input' : 'output';
    return found
      .filter((each): each is GuardrailDocument => each?.kind === 'guardrail' && isOfTools(each))
      .map((document) => this.guardrails.ofTools(document))
      .filter((guardrail) => guardrail[stage].length > 0);
  }
}

const NONE: readonly CompiledGuardrail[] = [];

const isOfTools = ({ status, target }: GuardrailDocument): boolean =>
  status === 'active' && target === 'mcp_tools';

function factsOf(context: RequestContext, { server, requestType = 'mcp' }: ToolSubject): RequestFacts {
  const { method, url, query, metadata } = context;
  return {
    dialect: 'json',
    requestType,
    isPassthrough: false,
    method,
    path: url.slice(0, url.length - query.length),
    contentType: 'application/json',
    provider: server.slug,
    model: null,
    metadata,
    headers: headersOf(context),
    isStreaming: false,
    work: workOf(context),
  };
}

/** Maps each changed text to its replacement; equal texts get the same replacement. */
function changesIn(before: readonly string[], after: unknown): ReadonlyMap<string, string> {
  const texts = Array.isArray(after) ? (after as readonly unknown[]) : [];
  return new Map(
    before.flatMap((text, at) => {
      const changed = texts[at];
      return typeof changed === 'string' && changed !== text ? [[text, changed] as const] : [];
    }),
  );
}
