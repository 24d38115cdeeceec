// Mutations that remove guards against the classes of defects in docs/security/findings.md. Each
// row has the name of the guard, its file, the original text, the replacement, and the spec that
// must fail then. `tools/guards.cjs` applies them one at a time.

const GATEWAY = 'apps/gateway/src';
const ADMIN = 'apps/admin-api/src';
const CREDENTIALS_SPEC = `${GATEWAY}/credentials/bound-credentials.spec.ts`;
const SECRETS_SPEC = `${ADMIN}/platform/credentials/bound-secrets.int-spec.ts`;
const ORIGIN_SPEC = `${GATEWAY}/http/one-origin.spec.ts`;
const GRANTS_SPEC = `${ADMIN}/platform/auth/grants.int-spec.ts`;
const LIMITS_SPEC = `${ADMIN}/platform/auth/limits-matrix.int-spec.ts`;
const LINT_SPEC = 'libs/testing/src/boundaries.spec.ts';
const SCHEMA_SPEC = 'libs/guardrails/src/checks/safe-schema.spec.ts';
const SCHEMA = 'libs/guardrails/src/checks/safe-schema.ts';
const BODIES_SPEC = `${GATEWAY}/bodies/body-shares.spec.ts`;
const INGEST_SPEC = 'apps/worker/src/ingest/log-ingest.int-spec.ts';
const DEPLOYMENT_SPEC = 'libs/testing/src/deployment.spec.ts';

/** Guards that send a saved credential only to the addresses that its owner chose. */
const CREDENTIALS = [
  [
    'the comparison of a named host with the saved one',
    `${GATEWAY}/attempt/request/base-address.ts`,
    'if (saved !== null && named !== null && !isSame(',
    'if (saved === undefined && !isSame(',
    CREDENTIALS_SPEC,
  ],
  [
    'a saved provider is called at its saved host',
    `${GATEWAY}/attempt/saved-model.ts`,
    'return upstream.saved === null ? (gw.customHost ?? upstream.target.customHost) : savedHost(upstream);',
    'return gw.customHost ?? upstream.target.customHost ?? savedHost(upstream);',
    CREDENTIALS_SPEC,
  ],
  [
    'the provider that a caller’s key is for',
    `${GATEWAY}/credentials/callers-key.ts`,
    'if (intended === null || !isNamed(provider, intended)) return false;',
    '',
    CREDENTIALS_SPEC,
  ],
  [
    'addresses of a saved config get no key of the caller',
    `${GATEWAY}/credentials/callers-key.ts`,
    'return isOwnConfig || gw.customHost !== null || !hasAddress(target);',
    'return true;',
    CREDENTIALS_SPEC,
  ],
  [
    'forwarded headers with credentials follow the caller’s key',
    `${GATEWAY}/attempt/request/forwarded-headers.ts`,
    '(getsCredentials || !mayHoldCredential(name)) &&',
    '(getsCredentials || mayHoldCredential(name) || true) &&',
    CREDENTIALS_SPEC,
  ],
  [
    'no credential of the gateway in a forwarded header',
    `${GATEWAY}/attempt/request/forwarded-headers.ts`,
    'if (await own.includes(text)) throw ownCredential(name);',
    'await own.includes(text);',
    CREDENTIALS_SPEC,
  ],
  [
    'an error without the credential that a provider repeats',
    `${GATEWAY}/reply/reply.stage.ts`,
    'received && withoutCredential(received, response.upstream);',
    'received && withoutCredential ? received : null;',
    CREDENTIALS_SPEC,
  ],
  [
    'a saved secret stays with its address',
    `${ADMIN}/platform/credentials/secrets-stay.ts`,
    'if (moved.length === 0) return;',
    'return;',
    SECRETS_SPEC,
  ],
  [
    'who may aim a secret of a manager, in checks',
    `${ADMIN}/platform/credentials/secrets-stay.ts`,
    'if (scopes.has(AIM)) return;',
    'return;',
    `${ADMIN}/resources/guardrails/credentials.int-spec.ts`,
  ],
  [
    'who may aim a secret of a manager, in mappings',
    `${ADMIN}/platform/credentials/secrets-stay.ts`,
    'if (scopes.has(AIM)) return;',
    'return;',
    `${ADMIN}/platform/credentials/mapped-secrets.int-spec.ts`,
  ],
  [
    'another address of a webhook gets another secret',
    `${ADMIN}/resources/alert-webhooks/alert-webhooks.service.ts`,
    '          row.sealedSecret = sealedSecret;\n',
    '',
    `${ADMIN}/resources/alert-webhooks/alert-webhooks.int-spec.ts`,
  ],
  [
    'unknown methods are refused before routing',
    `${GATEWAY}/http/request-rules.ts`,
    'if (!METHODS.has(req.method)) throw methodRefused();',
    '',
    ORIGIN_SPEC,
  ],
  [
    'one Host header',
    `${GATEWAY}/http/request-rules.ts`,
    "if (hasSeveralHosts(rawHeaders)) throw malformed('it must have one Host header');",
    '',
    ORIGIN_SPEC,
  ],
  [
    'headers that act on the origin do not pass',
    `${GATEWAY}/http/header-rules.ts`,
    "'clear-site-data',",
    '',
    ORIGIN_SPEC,
  ],
];

/**
 * Guards that prevent callers from granting rights that they lack. The rights matrix tests the
 * rules of `grants.ts` on scopes, views and settings.
 */
const RIGHTS = [
  [
    'a role above the caller',
    `${ADMIN}/platform/auth/grants.ts`,
    'if (rights.rank > rankOf(caller)) {',
    'if (rights.rank === null) {',
    GRANTS_SPEC,
  ],
  [
    'who may change limits that a higher role set',
    `${ADMIN}/platform/auth/grants.ts`,
    'if (!isOwn && limitTier(setBy) <= limitTier(rankOf(caller))) return;',
    'return;',
    GRANTS_SPEC,
  ],
  [
    'who may change limits of providers and virtual keys',
    `${ADMIN}/resources/providers/provider-rows.ts`,
    'holdLimits(caller, row, { before, after: limitsOf(row), isReset: input.reset_usage === true });',
    '',
    LIMITS_SPEC,
  ],
  [
    'who may change the settings of a workspace',
    `${ADMIN}/resources/workspaces/workspaces.service.ts`,
    'holdRestrictions(caller, row, before, isReset);',
    '',
    LIMITS_SPEC,
  ],
  [
    'a service key stays bound as its maker',
    `${ADMIN}/resources/api-keys/api-key-grants.ts`,
    'boundAs: caller.settingGroup }',
    'boundAs: null }',
    GRANTS_SPEC,
  ],
  [
    'without logs.view only own requests are read',
    `${ADMIN}/resources/logs/logs.service.ts`,
    "...(caller.scopes.has('logs.view')",
    '...(caller !== null',
    GRANTS_SPEC,
  ],
  [
    'every write of the document has a row',
    `${ADMIN}/spec-support/granting-writes.ts`,
    '  apiKeys_create: (',
    '  apiKeys_created: (',
    `${ADMIN}/platform/auth/rights-matrix.int-spec.ts`,
  ],
];

/** Guards that prevent one tenant from blocking another. */
const TENANTS = [
  [
    'the lint of expressions that are made of data',
    'eslint.config.mjs',
    '...RESTRICTED_SYNTAX, ...EXPRESSIONS_OF_DATA],',
    '...RESTRICTED_SYNTAX],',
    LINT_SPEC,
  ],
  [
    'the one home of RE2',
    'eslint.config.mjs',
    "{ packages: ['re2js'], home: 'Pattern of @gw/config-schema', files: RE2_HOMES },",
    '',
    LINT_SPEC,
  ],
  [
    'linear expressions',
    'libs/telemetry/src/redact.ts',
    String.raw`\beyJ[\w-]{8,}(\.[\w-]+\.[\w-]*)?`,
    String.raw`\beyJ[\w-]{8,}\.[\w-]+`,
    'libs/testing/src/expressions.spec.ts',
    'in libs/telemetry',
  ],
  [
    'the walk through named schemas',
    SCHEMA,
    "['$defs', 'definitions', 'dependentSchemas', 'properties'].map(",
    "['$defs', 'definitions', 'dependentSchemas'].map(",
    SCHEMA_SPEC,
  ],
  [
    'no pattern in a schema',
    SCHEMA,
    "pattern: 'is not supported in a schema; use the check regexMatch',",
    '',
    SCHEMA_SPEC,
  ],
  ['the cost of references', SCHEMA, 'if (cost <= COST_MAX) return null;', 'return null;', SCHEMA_SPEC],
  [
    'RE2 below the validator',
    'libs/guardrails/src/checks/json-schema.ts',
    'code: { regExp: linearExpression },',
    '',
    SCHEMA_SPEC,
  ],
  [
    'patterns of data run on RE2',
    'libs/config-schema/src/pattern.ts',
    'const regex = RE2JS.compile(source);',
    'const regex = Object.assign(new RegExp(source), { programSize: () => 9 });',
    'libs/guardrails/src/data-patterns.spec.ts',
  ],
  [
    'the budget of patterns, by their texts',
    'libs/config-schema/src/pattern-budget.ts',
    'if (written > PATTERNS_SIZE_MAX) return tooLarge();',
    '',
    'libs/config-schema/src/pattern-budget.spec.ts',
  ],
  [
    'the budget of patterns, compiled',
    'libs/config-schema/src/pattern-budget.ts',
    'if (compiled > PATTERNS_SIZE_MAX) return tooLarge();',
    '',
    'libs/config-schema/src/pattern-budget.spec.ts',
  ],
  [
    'the share of inline configs',
    `${GATEWAY}/configs/configs.ts`,
    'this.makeRoom(workspaceId, bytes);',
    '',
    `${GATEWAY}/configs/inline-configs.spec.ts`,
  ],
  ...[
    'libs/kernel/src/shares.spec.ts',
    'libs/kernel/src/shared-entries.spec.ts',
    'libs/outbound/src/connection-shares.spec.ts',
    BODIES_SPEC,
  ].map((spec) => [
    `shares of one amount (${spec})`,
    'libs/kernel/src/shares.ts',
    'return ofHolder <= Math.max(1, limit) && ofGroup <= Math.max(1, 2 * limit);',
    'return ofHolder >= 0 && ofGroup >= 0 && limit >= 0;',
    spec,
  ]),
  [
    'shares of Redis',
    'libs/cache/src/stores/redis-shares.ts',
    'return free >= 0 and ofOwner + bytes <= free and ofGroup + bytes <= 2 * free',
    'return free >= 0',
    'libs/cache/src/stores/redis-shares.int-spec.ts',
  ],
  [
    'the minimum rate of bodies',
    `${GATEWAY}/bodies/read-body.ts`,
    'Math.min(totalMs, minRate === 0 ? Infinity : idleMs + (1_000 * bytes) / minRate);',
    'Math.max(totalMs, bytes, idleMs, minRate);',
    BODIES_SPEC,
  ],
  [
    'limits are looked at before the body',
    `${GATEWAY}/bodies/receive.stage.ts`,
    'this.options.accounts.refuseExhausted(context);',
    '',
    BODIES_SPEC,
  ],
  [
    'faults of one record are distinguished from those of the database',
    'apps/worker/src/ingest/store-apart.ts',
    'if (isOfDatabase(error)) throw error;',
    'throw error;',
    INGEST_SPEC,
  ],
  [
    'the caps of the quarantine',
    'libs/log-store/src/rows/log-quarantine.queries.ts',
    'AS ranked WHERE records > $1 OR of_workspace > $2 OR total > $3)',
    'AS ranked WHERE records > $1 AND of_workspace > $2 AND total > $3 AND false)',
    INGEST_SPEC,
  ],
  [
    'proxies that are believed',
    'libs/kernel/src/client-address.ts',
    'if (!proxies.has(address) || forwardedFor === undefined) return address;',
    'if (forwardedFor === undefined) return address;',
    'libs/kernel/src/client-address.spec.ts',
  ],
  [
    'the throttle of logins by network',
    `${ADMIN}/platform/auth/login-throttle.ts`,
    'const name = `${network} ${email}`;\n    const pair',
    "const name = ['any network', email].join(' ');\n    const pair",
    `${ADMIN}/platform/auth/login-throttle.spec.ts`,
  ],
  [
    'the limit of calls',
    `${GATEWAY}/attempt/attempts.ts`,
    'if (!this.maker.mayCall(context)) return false;',
    '',
    `${GATEWAY}/attempt/call-limit.spec.ts`,
  ],
  [
    'the limit of calls, in the plan',
    'libs/routing/src/plan.ts',
    'if (isCutShort) {',
    'if (isCutShort && this.gaveUp) {',
    'libs/routing/src/plan.spec.ts',
  ],
];

/** Guards of the number of provider calls and of unchanged contents. */
const CALLS = [
  [
    'only idempotent requests are sent again',
    `${GATEWAY}/attempt/attempts.ts`,
    'return IDEMPOTENT.has(context.method) && context.route.followUp === null;',
    'return context.method !== null;',
    `${GATEWAY}/attempt/calls.spec.ts`,
  ],
  [
    'a choice is finished by its reason',
    'libs/providers/src/dialects/openai/tap.ts',
    ".filter((choice) => asString(choice?.['finish_reason']) !== null)",
    '.filter((choice) => choice !== null)',
    `${GATEWAY}/reply/stream-ends.spec.ts`,
  ],
  [
    'an answer that is shorter than it said is broken',
    `${GATEWAY}/reply/reply.ts`,
    'if (isShort(this.headers, this.context)) {',
    'if (this.headers.length === 0) {',
    `${GATEWAY}/reply/stream-ends.spec.ts`,
  ],
  [
    'a stored config is held against the rules of today',
    `${GATEWAY}/configs/configs.ts`,
    'if (result.ok) return compileConfig(result.config);',
    'return compileConfig(config);',
    `${GATEWAY}/configs/stored-configs.spec.ts`,
  ],
  [
    'a port belongs to one process',
    'libs/testing/src/free-port.ts',
    'if (reservation === null) continue;',
    'if (reservation === null) return port;',
    'libs/testing/src/free-port.spec.ts',
  ],
  [
    'duplicate members are found',
    `${GATEWAY}/attempt/request/request-body.ts`,
    '(isParsed && hasDuplicateMembers(body))',
    '(isParsed && body === null)',
    `${GATEWAY}/guardrails/guardrails.spec.ts`,
  ],
];

/** Guards of secrets at rest, manifests, files, money and shutdowns. */
const OPERATIONS = [
  [
    'the list of sealed columns',
    'libs/entities/src/sealed/sealed-columns.ts',
    "owned('plugins', 'sealed_credentials', pluginBinding),",
    '',
    'libs/entities/src/sealed/reseal.int-spec.ts',
  ],
  [
    'the ingress leaves the plane to the gateway',
    'k8s/ingress.yaml',
    '          - { path: /v2, pathType: Prefix, backend: *gateway }\n',
    '',
    DEPLOYMENT_SPEC,
  ],
  ['the size of pools', 'k8s/config.yaml', "DB_POOL_SIZE: '8'", "DB_POOL_SIZE: '12'", DEPLOYMENT_SPEC],
  [
    'files know every member',
    'apps/cli/src/kinds/limit.members.ts',
    "plain('metadata', 'enforcement', 'on_outage')",
    "plain('metadata', 'enforcement')",
    'e2e/cli-files.int-spec.ts',
  ],
  [
    'only ended holders are written off',
    'libs/limits/src/reconciler.ts',
    "if (fate === 'ended') ended.push(reading.holder);",
    'if (fate !== null) ended.push(reading.holder);',
    'libs/limits/src/reconciler.spec.ts',
  ],
  [
    'the rest begins again while the record is away',
    'libs/limits/src/reconciler.ts',
    'this.seen.clear();',
    '',
    'libs/limits/src/reconciler.spec.ts',
  ],
  [
    'who is dead',
    'libs/limits/src/holder-registry.ts',
    'this.ledger.areGone(gone.slice(0, GONE_MAX).map((each) => each.process));',
    '',
    'libs/limits/src/holder-registry.int-spec.ts',
  ],
  [
    'what a lost counter answers is not taken',
    'libs/limits/src/counter-replies.ts',
    "if (counter.status !== 'ok' || slot.lostUntil > sentAt) return;",
    "if (counter.status === 'unknown') return;",
    'libs/limits/src/counter-batcher.spec.ts',
  ],
  [
    'what must come first at the end of a turn',
    'libs/kernel/src/turn-end.ts',
    '    runFirst();\n    const all',
    '    const all',
    'libs/kernel/src/turn-end.spec.ts',
  ],
  [
    'begin frames are written before the call',
    `${GATEWAY}/in-flight/in-flight-log.ts`,
    'firstAtTurnEnd(this.flush);',
    'setTimeout(this.flush, 1_000);',
    `${GATEWAY}/in-flight/in-flight.spec.ts`,
  ],
  [
    'accepted connections are taken before the close',
    'libs/web/src/shutdown/server-drain.ts',
    'await this.takeQueued();',
    '',
    'libs/web/src/shutdown/server-drain.spec.ts',
  ],
  [
    'the lock of a folder',
    'libs/journal/src/folder-lock.ts',
    'BEGIN EXCLUSIVE',
    '',
    `${GATEWAY}/journals/journals.spec.ts`,
  ],
  [
    'whole blocks behind damage',
    'libs/journal/src/journal-reader.ts',
    "return { kind: 'damaged', until: await this.nextBlock(segment, from.offset + 1) };",
    'return gone;',
    'libs/journal/src/journal-damage.spec.ts',
  ],
  [
    'the time of skewed records',
    'apps/worker/src/ingest/log-ingest.ts',
    'return time === undefined ? entry : withTime(entry, time);',
    'return time === undefined ? entry : withTime(entry, new Date(entry.row.created_at));',
    INGEST_SPEC,
  ],
];

/** Guards against the findings of two later attacks on the product. */
const ATTACKS = [
  [
    'no redirect of a provider reaches a client',
    `${GATEWAY}/attempt/redirects.ts`,
    'isRedirect(status)',
    'isRedirect(status) && status === 0',
    `${GATEWAY}/attempt/redirects.spec.ts`,
  ],
  [
    'a path has one spelling',
    `${GATEWAY}/routes/plain-path.ts`,
    'if (!UNPLAIN.test(path)) return path;',
    'if (path !== null) return path;',
    `${GATEWAY}/routes/plain-path.spec.ts`,
  ],
  [
    'places at the control plane are shared',
    `${GATEWAY}/http/control-plane/fair-places.ts`,
    'return share.take(1) ? this.placeOf(share) : null;',
    'share.take(1);\n    return this.placeOf(share);',
    `${GATEWAY}/http/control-plane/fair-places.spec.ts`,
  ],
  [
    'members are counted before a body is parsed',
    `${GATEWAY}/bodies/read-whole.ts`,
    'if (members > bounds.members)',
    'if (members < 0)',
    `${GATEWAY}/bodies/read-whole.spec.ts`,
  ],
  [
    'request bodies of the control plane are counted before they are parsed',
    'libs/web/src/http/body-bounds.ts',
    'if (members > bounds.members) throw',
    'if (members < 0) throw',
    `${ADMIN}/bodies.int-spec.ts`,
  ],
  [
    'who learns from an gateway-response',
    `${GATEWAY}/usage/learned-from.ts`,
    'if (saved === null || provider.local !== undefined || model === null) return null;',
    "if (model !== null) return { tenant: { workspaceId: '', organisationId: '' }, key: model };\n  if (saved === null) return null;",
    `${GATEWAY}/usage/estimates.spec.ts`,
  ],
  [
    'a first answer belongs to its key and to the rules of its time',
    `${GATEWAY}/idempotency/idempotency.stage.ts`,
    'inForce: inForce(context) });',
    'inForce: inForce(context).slice(0, 0) });',
    `${GATEWAY}/idempotency/idempotency.spec.ts`,
  ],
  [
    'each message of a session names an enabled model',
    `${GATEWAY}/realtime/client-gate.ts`,
    'for (const model of event.models ?? [null]) this.checkModel(model);',
    '',
    `${GATEWAY}/realtime/charges.spec.ts`,
  ],
  [
    'an output is requested whole and readable',
    `${GATEWAY}/attempt/request/request-builder.ts`,
    '  requestReadable(headers, context, support);\n',
    '',
    `${GATEWAY}/usage/batch-money.spec.ts`,
  ],
  [
    'an estimate is given back when the true use is known',
    'libs/ledger-store/src/ledger-once.queries.ts',
    "if (estimate === null) this.settle(others, cost === null ? ['tokens'] : MEASURES);",
    '',
    'apps/worker/src/ledger/ledger-book.int-spec.ts',
  ],
];

const MUTATIONS = [...CREDENTIALS, ...RIGHTS, ...TENANTS, ...CALLS, ...OPERATIONS, ...ATTACKS];

module.exports = { MUTATIONS };
