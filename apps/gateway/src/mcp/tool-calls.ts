import { GatewayError } from '@gw/kernel';
import {
  checkParameterHeaders,
  hiddenNames,
  hintOf,
  NO_CAPABILITIES,
  readToolCall,
  resultText,
  sentArguments,
  type HeaderParameter,
  type JsonObject,
} from '@gw/mcp';
import type { ToolAnnotation } from '@gw/limits';
import type { ToolAccounts } from '../limits/tool-accounts';
import type { LimitedCall } from '../limits/limited-call';
import type { ToolGuards } from '../guardrails/tool-guards';
import { argumentBytes, exactArguments } from './argument-bytes';
import { argumentsDigest } from './arguments-digest';
import { calledParams } from './aggregate/search-tools';
import { Denied, guarded, limitDenied } from './denials';
import { guardedError } from './guarded-texts';
import type { ForwardedCall } from './forwarded-call';
import type { Offered } from './endpoint';
import { atServer, type EndpointRequest, type McpRequest } from './mcp-request';
import type { SeenCapability } from './server-view';
import type { TaskRequests } from './tasks/task-requests';
import { isBridged, taskParam } from './tasks/task-support';
import type { ToolApprovals } from './tool-approvals';
import type { UpstreamCalls } from './upstream-calls';

export interface ToolCallParts {
  readonly accounts: ToolAccounts;
  readonly calls: UpstreamCalls;
  readonly guards: ToolGuards;
  readonly approvals: ToolApprovals;
  readonly tasks: TaskRequests;
}

/** A call of a tool. */
interface Call {
  readonly tool: SeenCapability;
  /** Name of the tool as the caller wrote it. */
  readonly name: string;
  /** Arguments for the server, before guardrails. */
  readonly arguments: JsonObject;
  /** Names of the arguments whose values are the toolset's. */
  readonly fixed: ReadonlySet<string>;
}

/** Carries out tools/call: checks access and limits, calls the server, and charges the call. */
export class ToolCalls {
  constructor(private readonly parts: ToolCallParts) {}

  /**
   * Carries out a call. Resolves when the response is sent. Rejects with `McpFault`, `Denied` or
   * `UpstreamError`.
   */
  async run(from: EndpointRequest): Promise<void> {
    const { request, call } = readCall(from);
    const { context, view } = request;
    const writtenBytes = argumentBytes(request, call.arguments);
    noteCall(request, call, writtenBytes);
    const needsApproval = assertAllowed(request, call);
    const limited = limitedCall(request, call);
    const denial = await this.parts.accounts.admit(context, limited);
    if (denial !== null) throw limitDenied(denial);
    const { guards } = this.parts;
    const subject = { server: view.document, capabilityId: call.tool.facts.id, arguments: call.arguments };
    const args = await guarded(() => guards.before(context, subject));
    const bridged = bridgedParts(request, call.tool);
    context.mcp?.callBegins(limited);
    await this.parts.calls.run(request, {
      params: { name: call.tool.facts.name, arguments: args, ...taskParam(request), ...bridged.params },
      ...bridged.call,
      argumentBytes: sentBytes(request, call, args, writtenBytes),
      headerParameters: call.tool.headerParameters,
      isIdempotent: hintOf(call.tool.facts.definition, 'idempotentHint'),
      ...(needsApproval && { requireApproval: this.approval(request, call, args) }),
      onResult: (result) => {
        if (context.mcp !== null) context.mcp.isError = result.isError;
        // A call that was not sent costs nothing.
        const price = result.wasSent ? limited.price : 0;
        this.charge(request, { ...limited, price }, () => tokensOf(result.value));
        // Guardrails check the result of a task when the client reads it.
        return (
          this.parts.tasks.taskResult(request, call.tool, result) ??
          guarded(() => guards.after(context, { ...subject, arguments: args }, () => result.value))
        );
      },
      onError: (error) => guardedError({ guards, context, subject: { ...subject, arguments: args } }, error),
      onInputRequired: () => this.charge(request, { ...limited, price: 0 }, () => 0),
    });
  }

  /**
   * Returns a function that consumes the approval of a call once, even if the call is sent again
   * with a new token.
   */
  private approval(
    request: McpRequest,
    { tool, fixed }: Call,
    args: JsonObject,
  ): NonNullable<ForwardedCall['requireApproval']> {
    const approved = { tool: tool.facts.name, arguments: args, fixed };
    let isUsed = false;
    return async (continues) => {
      if (isUsed) return;
      await this.parts.approvals.use(request, approved, continues);
      isUsed = true;
    };
  }

  private charge({ context }: McpRequest, call: LimitedCall, tokens: () => number): void {
    this.parts.accounts.charge(context, call, tokens);
    context.mcp?.callEnds();
  }
}

/** Reads a call, with the arguments that a toolset adds, and the server of its tool. */
function readCall(from: EndpointRequest): { readonly request: McpRequest; readonly call: Call } {
  const { endpoint, message, fields, era } = from;
  const params = calledParams(from);
  const tools = { get: (name: string) => endpoint.find('tool', name) ?? assertAllReadable(from) };
  const { tool: offered, name, arguments: given } = readToolCall({ id: message.id, params }, tools);
  // The arguments of a call through `call_tool` are not in headers.
  if (era === 'modern' && params === message.params)
    checkParameterHeaders(fields, shownParameters(offered), message);
  const { override, seen: tool, view } = offered;
  const args = override === null ? given : sentArguments(given, override);
  const fixed = new Set(Object.keys(override?.fixedArguments ?? {}));
  return { request: atServer(from, view), call: { tool, name, arguments: args, fixed } };
}

/**
 * Returns the JSON bytes of the arguments that are sent: those that the client wrote, or bytes with
 * the client's numbers for arguments that a toolset or a guardrail changed. Null when the arguments
 * can be serialised without a loss.
 */
function sentBytes(
  request: McpRequest,
  { arguments: before, fixed }: Call,
  args: JsonObject,
  writtenBytes: Buffer | null,
): Buffer | null {
  if (args === before && writtenBytes !== null) return writtenBytes;
  return request.numbers === null ? null : Buffer.from(exactArguments(request, args, fixed));
}

/**
 * Returns the arguments that the client must also send in headers: those that the toolset does not
 * hide.
 */
function shownParameters({ seen, override }: Offered): readonly HeaderParameter[] {
  if (override === null) return seen.headerParameters;
  const hidden = hiddenNames(override);
  return seen.headerParameters.filter(({ path: [name] }) => name === undefined || !hidden.has(name));
}

/**
 * Returns the additional parts of a call that creates a bridged task. No capabilities are declared,
 * because the server could not request input from the client.
 */
const bridgedParts = (
  request: McpRequest,
  tool: SeenCapability,
): { readonly params: JsonObject; readonly call: Pick<ForwardedCall, 'capabilities'> } =>
  isBridged(request, tool)
    ? { params: { task: {} }, call: { capabilities: NO_CAPABILITIES } }
    : { params: {}, call: {} };

/**
 * Throws a denial when a server's document cannot be read, because an unknown name may be a tool of
 * that server.
 */
function assertAllReadable({ endpoint }: EndpointRequest): undefined {
  if (endpoint.isWhole) return undefined;
  throw new Denied(
    { kind: 'upstream', failure: 'provider_unreachable', retryAfterMs: 1_000 },
    new GatewayError('provider_unreachable'),
  );
}

function noteCall(
  { context }: McpRequest,
  { tool, name, arguments: args }: Call,
  writtenBytes: Buffer | null,
): void {
  const { mcp } = context;
  if (mcp === null) return;
  [mcp.name, mcp.shownName] = [tool.facts.name, name];
  mcp.capability = tool.facts.name;
  mcp.argumentsDigest = argumentsDigest(args, writtenBytes);
  context.spanName ??= `tools/call ${tool.facts.name}`;
}

/** Returns whether a person must approve the call. Throws the denial of a rule. */
function assertAllowed({ view }: McpRequest, { tool, arguments: args, name }: Call): boolean {
  const verdict = view.judge(tool, args);
  switch (verdict.kind) {
    case 'allow':
      return false;
    case 'ask':
      return true;
    case 'arguments_refused': {
      const message = `A rule does not allow the argument ${verdict.pointer}.`;
      throw new Denied(
        { kind: 'arguments', pointer: verdict.pointer },
        new GatewayError('forbidden', { message }),
      );
    }
    case 'insufficient_scope':
      throw new Denied(
        { kind: 'scope', scope: verdict.scope, resourceMetadata: '' },
        new GatewayError('scope_missing'),
      );
    case 'server_unknown':
    case 'hidden':
      throw new Denied({ kind: 'unknown', capability: 'tool', name }, new GatewayError('not_found'));
  }
}

function limitedCall({ view }: McpRequest, { tool, name: shownTool }: Call): LimitedCall {
  const { slug, prices } = view.document;
  const { name } = tool.facts;
  const price = prices === null ? 0 : Object.hasOwn(prices.tools, name) ? prices.tools[name] : prices.default;
  return {
    ...{ server: slug, tool: name, shownTool, price: price ?? 0 },
    annotations: annotationsOf(tool.facts.definition),
  };
}

function annotationsOf(definition: JsonObject): readonly ToolAnnotation[] {
  if (hintOf(definition, 'readOnlyHint')) return READ_ONLY;
  return hintOf(definition, 'destructiveHint') ? DESTRUCTIVE : [];
}

const READ_ONLY = ['read_only'] as const;
const DESTRUCTIVE = ['destructive'] as const;

/** Estimates the tokens of a result as one for four characters. */
const tokensOf = (result: JsonObject): number =>
  Math.ceil(resultText(result).texts.reduce((sum, text) => sum + text.length, 0) / 4);
