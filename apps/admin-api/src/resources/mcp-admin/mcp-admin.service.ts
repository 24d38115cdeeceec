import { isObject } from '@gw/kernel';
import { ownList, toolError, type JsonObject } from '@gw/mcp';
import { Injectable } from '@nestjs/common';
import type { AdminTool, ReadTool, WriteTool } from './admin-tool';
import { ADMIN_TOOLS, CONFIRM, definitionOf, faultsOf, resultShape, UNTRUSTED } from './admin-tools';
import { boundedJson, RESULT_MAX } from './bounded-json';
import { changesOf, versionOf } from './plan-changes';
import { Plans, type PlanOwner } from './plans.service';
import { RestRefusal, type RestApi, type RestCall, type RestCaller, type RestCalls } from './rest-api';

/** A tool with its definition. */
export interface ListedTool {
  readonly tool: AdminTool;
  readonly definition: JsonObject;
}

const LISTED: readonly ListedTool[] = ADMIN_TOOLS.map((tool) => ({ tool, definition: definitionOf(tool) }));

/**
 * Provides the control plane's tools for models: lists the tools that each caller may use, and runs
 * their calls.
 */
@Injectable()
export class McpAdminService {
  constructor(private readonly plans: Plans) {}

  /** Returns the tools of which the caller might use a route, by name. */
  toolsOf(rest: RestApi, caller: RestCaller): ReadonlyMap<string, ListedTool> {
    const seen = LISTED.filter(({ tool }) => tool.routes.some((route) => rest.mayUse(caller, route)));
    return new Map(seen.map((listed) => [listed.tool.name, listed]));
  }

  /**
   * Calls a tool. Returns the result of `tools/call`; refusals of the REST API are results with
   * `isError`.
   */
  async call(rest: RestApi, caller: RestCaller, { tool }: ListedTool, args: JsonObject): Promise<JsonObject> {
    const faults = faultsOf(tool, args);
    if (faults.length > 0) return invalid(`The arguments are not valid: ${faults.join('; ')}.`);
    const calls = rest.callsOf(caller, tool.name);
    try {
      return tool.kind === 'read'
        ? await read(tool, args, calls)
        : await this.write(tool, args, { caller, calls });
    } catch (error) {
      if (error instanceof RestRefusal) return refused(error);
      throw error;
    }
  }

  private async write(
    tool: WriteTool,
    { [CONFIRM]: token, ...args }: JsonObject,
    { caller, calls }: { readonly caller: RestCaller; readonly calls: RestCalls },
  ): Promise<JsonObject> {
    const owner: PlanOwner = { caller, tool: tool.name, arguments: args };
    const now = Date.now();
    const request = tool.request(args, now);
    if (typeof token !== 'string') return this.plan(tool, owner, request, calls);
    const plan = await this.plans.take(owner, token, now);
    if (plan === null) return invalid(NO_PLAN, CONFIRM);
    const result = await calls.send({ ...request, ifMatch: plan.ifMatch });
    return shown(tool, { status: 'done', result });
  }

  private async plan(
    tool: WriteTool,
    owner: PlanOwner,
    request: RestCall,
    calls: RestCalls,
  ): Promise<JsonObject> {
    const { entries, warnings } = await calls.check(request);
    const ifMatch = request.route.startsWith('PUT ') ? versionOf(entries) : null;
    const { token, expiresAt } = this.plans.seal(owner, ifMatch, Date.now());
    return shown(tool, {
      ...{ status: 'planned', next: NEXT, changes: changesOf(entries), warnings },
      ...{ plan_token: token, expires_at: new Date(expiresAt).toISOString() },
    });
  }
}

const NEXT = `Nothing has changed. Show the changes to the user. To carry them out, call the tool again with the same arguments and ${CONFIRM}: plan_token.`;
const NO_PLAN = `${CONFIRM} is not a plan token for these arguments and this caller, or it has expired or was used. Call the tool without ${CONFIRM} for a new plan.`;

async function read(tool: ReadTool, args: JsonObject, calls: RestCalls): Promise<JsonObject> {
  return shown(tool, await tool.run(args, calls));
}

/** Returns the result of a tool as structured content and as the same text. */
function shown(tool: AdminTool, value: JsonObject): JsonObject {
  const isUntrusted = tool.kind === 'read' && tool.isUntrusted;
  const bounded = boundedJson(resultShape(tool).of(value) as JsonObject);
  if (bounded === null)
    return toolError(
      `The result is longer than ${String(RESULT_MAX)} characters. Narrow the request, for example by limit.`,
      { type: 'result_too_large' },
    );
  const structuredContent = {
    ...(isUntrusted && { untrusted: UNTRUSTED }),
    ...bounded.value,
    ...(bounded.isCut && { truncated: true }),
  };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(isUntrusted && { _meta: { 'gw/untrusted': true } }),
  };
}

const invalid = (message: string, param: string | null = null): JsonObject =>
  toolError(message, { type: 'validation_failed', ...(param !== null && { param }) });

/** Converts an error of the REST API to a tool result for the model. */
function refused({ status, message, error }: RestRefusal): JsonObject {
  const { message: _message, details: _details, ...data } = error;
  return toolError(message + detailsOf(error, message), { ...data, status });
}

/** Returns the faults of members that the message does not already contain. */
function detailsOf(error: JsonObject, message: string): string {
  const faults = ownList(error, 'details')
    .slice(0, DETAILS_MAX)
    .filter(isObject)
    .filter(({ message: fault }) => !message.includes(String(fault)))
    .map(({ path, message: fault }) => `${String(path)}: ${String(fault)}`);
  return faults.length === 0 ? '' : ` ${faults.join('; ')}.`;
}

const DETAILS_MAX = 20;
