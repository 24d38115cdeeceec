import type { McpCapabilityFacts, McpServerDocument } from '@gw/contracts';
import { digestOf, isObject } from '@gw/kernel';
import {
  headerParameters,
  judgeAccess,
  matchesUriTemplate,
  own,
  ownObject,
  rulesAbout,
  taskCapabilities,
  type AccessCapability,
  type AccessRule,
  type AccessServer,
  type AccessVerdict,
  type EndpointFacts,
  type HeaderParameter,
  type JsonObject,
  type MemberList,
  uriKey,
} from '@gw/mcp';
import type { CapabilityType, Endpoint, Offered, OfferedResource } from './endpoint';
import type { KnownCaller } from '../auth/known-caller';

/** A capability that a caller sees. */
export interface SeenCapability {
  readonly facts: McpCapabilityFacts;
  readonly capability: AccessCapability;
  /** Arguments that modern servers require in headers. */
  readonly headerParameters: readonly HeaderParameter[];
}

/**
 * Milliseconds for which clients may reuse a list, which is the maximum delay of a change for
 * clients without notifications.
 */
export const TTL_MS = 60_000;

const accessByDocument = new WeakMap<McpServerDocument, AccessServer>();

/** One caller's view of an MCP server; it is created once for each version of caller and server. */
export class ServerView implements Endpoint {
  readonly access: AccessServer;
  readonly servers = [this];
  readonly isSearched = false;
  readonly unavailable = [];
  readonly isStrict = false;
  readonly isWhole = true;
  private readonly byType: Readonly<Record<CapabilityType, ReadonlyMap<string, SeenCapability>>>;
  /** URIs of resources that the server lists and the caller may not read. */
  private readonly hiddenResources: ReadonlySet<string>;
  /** Keys of `hiddenResources`; null until a template is used. */
  private hiddenKeys: ReadonlySet<string> | null = null;
  private cachedFacts: EndpointFacts | null = null;
  /** Changes when the caller's lists change. */
  readonly listsDigest: string;

  constructor(
    readonly document: McpServerDocument,
    readonly caller: KnownCaller,
  ) {
    const access = accessOf(document);
    // Rules about other callers are removed here once, so that no decision evaluates them.
    this.access = { ...access, rules: rulesAbout(access.rules, caller.access) };
    const seen = document.capabilities.map(seenOf).filter((each) => this.sees(each));
    const seenOfType = (type: CapabilityType): ReadonlyMap<string, SeenCapability> =>
      new Map(seen.filter(({ facts }) => facts.type === type).map((each) => [each.facts.name, each]));
    this.byType = {
      tool: seenOfType('tool'),
      prompt: seenOfType('prompt'),
      resource: seenOfType('resource'),
      resource_template: seenOfType('resource_template'),
    };
    this.hiddenResources = new Set(
      [
        ...(document.withheldResources ?? []),
        ...document.capabilities.filter(({ type }) => type === 'resource').map(({ name }) => name),
      ].filter((uri) => !this.byType.resource.has(uri)),
    );
    this.listsDigest = digestOf('mcp/lists', [document.version, ...seen.map(({ facts }) => facts.id)]);
  }

  /** Returns the capabilities of a type by the server's own names. */
  capabilitiesOf(type: CapabilityType): ReadonlyMap<string, SeenCapability> {
    return this.byType[type];
  }

  /** Whether the control plane has never read the server. */
  get isUnread(): boolean {
    const { server, capabilities } = this.document;
    return server === null && capabilities.length === 0;
  }

  get id(): string {
    return this.document.id;
  }

  get slug(): string {
    return this.document.slug;
  }

  get integrationId(): string {
    return this.document.integrationId;
  }

  lists(type: CapabilityType): readonly MemberList<string>[] {
    const { slug, version } = this.document;
    return [{ server: slug, version, items: [...this.byType[type].keys()] }];
  }

  definition(type: CapabilityType, name: string): JsonObject {
    return this.byType[type].get(name)?.facts.definition ?? {};
  }

  find(type: CapabilityType, name: string): Offered | undefined {
    const seen = this.byType[type].get(name);
    return seen && { view: this, seen, override: null };
  }

  resourceOf(uri: string): OfferedResource | undefined {
    const isOffered =
      this.byType.resource.has(uri) ||
      ([...this.byType.resource_template.keys()].some((template) => matchesUriTemplate(template, uri)) &&
        !this.hides(uri));
    return isOffered ? { view: this, uri } : undefined;
  }

  /**
   * Whether the server lists a resource that the caller may not read, so that no template may reach
   * it, in whatever spelling.
   */
  hides(uri: string): boolean {
    this.hiddenKeys ??= new Set([...this.hiddenResources].map(uriKey));
    return this.hiddenKeys.has(uriKey(uri));
  }

  shownUri(_view: ServerView, uri: string): string {
    return uri;
  }

  /** Whether the caller may call a tool with these arguments. */
  judge({ capability }: SeenCapability, args: JsonObject): AccessVerdict {
    return judgeAccess(this.access, capability, this.caller.access, args);
  }

  /** Facts about the server that are known without a call to it. */
  get facts(): EndpointFacts {
    return (this.cachedFacts ??= this.describe());
  }

  private describe(): EndpointFacts {
    const { server, slug } = this.document;
    return {
      serverInfo: {
        name: server?.name ?? slug,
        version: server?.version ?? '0.0.0',
        ...(server?.title != null && { title: server.title }),
      },
      capabilities: this.capabilities(),
      instructions: server?.instructions ?? null,
      ttlMs: TTL_MS,
    };
  }

  /** Server capabilities that the gateway relays. */
  private capabilities(): JsonObject {
    const announced: JsonObject = this.document.server?.capabilities ?? {};
    const has = (name: string): boolean => isObject(own(announced, name));
    return {
      ...((has('tools') || this.byType.tool.size > 0) && { tools: { listChanged: true } }),
      ...(has('prompts') && { prompts: { listChanged: true } }),
      ...(has('resources') && { resources: { listChanged: true, ...this.subscribeCapability(announced) } }),
      ...(has('completions') && { completions: {} }),
      ...(has('logging') && { logging: {} }),
      ...taskCapabilities(announced),
    };
  }

  private subscribeCapability(announced: JsonObject): JsonObject {
    return own(ownObject(announced, 'resources'), 'subscribe') === true ? { subscribe: true } : {};
  }

  private sees({ capability }: SeenCapability): boolean {
    return judgeAccess(this.access, capability, this.caller.access, null).kind === 'allow';
  }
}

function accessOf(document: McpServerDocument): AccessServer {
  let access = accessByDocument.get(document);
  if (access === undefined) {
    const { slug, userAccess, rules, defaultEffect } = document;
    access = {
      slug,
      isAvailable: true,
      userAccess: {
        isAllowed: userAccess.isAllowed,
        exceptions: new Map(Object.entries(userAccess.exceptions)),
      },
      rules: rules.map((rule) => ({ ...rule, server: slug }) as AccessRule),
      defaultEffect,
    };
    accessByDocument.set(document, access);
  }
  return access;
}

function seenOf(facts: McpCapabilityFacts): SeenCapability {
  const { name, definition, type } = facts;
  return {
    facts,
    // Documents contain only approved and enabled capabilities.
    capability: {
      ...{ name, approved: definition, isRead: type !== 'tool' },
      ...{ isEnabledAtIntegration: true, isEnabledAtServer: true },
    },
    headerParameters: type === 'tool' ? parametersOf(definition) : [],
  };
}

function parametersOf(definition: JsonObject): readonly HeaderParameter[] {
  const schema = own(definition, 'inputSchema');
  const read = headerParameters(isObject(schema) ? schema : {});
  return read.ok ? read.parameters : [];
}
