import type { GatewayConfig } from '@gw/config-schema';
import type { CompiledTarget } from './compile/compiled';
import { compileConfig, validateConfig } from './index';

const compileTargets = (config: GatewayConfig): readonly CompiledTarget[] => {
  expect(validateConfig(config)).toMatchObject({ ok: true });
  return compileConfig(config).targets;
};

describe('compileConfig', () => {
  it('merges the settings of each target with those of its parent nodes by the documented rules', () => {
    const [plain, own] = compileTargets({
      strategy: { mode: 'fallback' },
      override_params: { temperature: 0, top_p: 1 },
      default_params: { user: 'root' },
      drop_params: ['logprobs'],
      retry: { attempts: 2, on_status_codes: [418] },
      cache: { mode: 'simple', max_age: 5 },
      request_timeout: 1000,
      custom_host: 'https://root.example',
      forward_headers: ['X-Root'],
      strict_open_ai_compliance: false,
      drop_unsupported: true,
      on_stream_failure: 'restart',
      input_guardrails: ['root-in'],
      output_guardrails: ['root-out'],
      targets: [
        { provider: 'openai' },
        {
          provider: 'anthropic',
          override_params: { temperature: 1 },
          drop_params: ['seed', 'logprobs'],
          retry: { attempts: 1 },
          cache: { mode: 'semantic' },
          request_timeout: 5,
          custom_host: 'https://own.example',
          forward_headers: [],
          strict_open_ai_compliance: true,
          drop_unsupported: false,
          on_stream_failure: 'continue',
          input_guardrails: [],
        },
      ],
    });
    expect(plain).toMatchObject({
      overrideParams: { temperature: 0, top_p: 1 },
      defaultParams: { user: 'root' },
      dropParams: [{ text: 'logprobs' }],
      retry: { attempts: 2, onStatusCodes: [418], useRetryAfterHeader: false },
      cache: { mode: 'simple', maxAgeSeconds: 5 },
      requestTimeoutMs: 1000,
      customHost: 'https://root.example',
      forwardHeaders: ['x-root'],
      strictOpenAiCompliance: false,
      loss: 'adapt',
      onStreamFailure: 'restart',
      inputGuardrails: ['root-in'],
      outputGuardrails: ['root-out'],
      needsBody: true,
    });
    expect(own).toMatchObject({
      overrideParams: { temperature: 1, top_p: 1 },
      defaultParams: { user: 'root' },
      dropParams: [{ text: 'logprobs' }, { text: 'seed' }],
      retry: { attempts: 1, onStatusCodes: [429, 500, 502, 503, 504] },
      cache: { mode: 'semantic', maxAgeSeconds: null },
      requestTimeoutMs: 5,
      customHost: 'https://own.example',
      forwardHeaders: [],
      strictOpenAiCompliance: true,
      loss: 'strict',
      onStreamFailure: 'continue',
      inputGuardrails: [],
      outputGuardrails: ['root-out'],
    });
  });

  it('joins hooks with the guardrails of their node, and both replace those of the parent node', () => {
    const hook = { type: 'guardrail', checks: [{ id: 'default.contains' }] };
    const targets = compileTargets({
      strategy: { mode: 'fallback' },
      input_guardrails: ['root'],
      before_request_hooks: [hook],
      targets: [{ name: 'inherits' }, { name: 'replaces', before_request_hooks: [hook] }],
    });
    expect(targets.map(({ inputGuardrails }) => inputGuardrails)).toEqual([['root', hook], [hook]]);
  });

  it('sets the JSON path of every target, including targets of a single strategy', () => {
    const leaf = { provider: 'openai' };
    const paths = compileTargets({
      strategy: { mode: 'fallback' },
      targets: [
        { strategy: { mode: 'single' }, targets: [leaf, leaf] },
        {
          strategy: { mode: 'loadbalance' },
          targets: [leaf, { strategy: { mode: 'fallback' }, targets: [leaf] }],
        },
      ],
    }).map(({ path }) => path);
    expect(paths).toEqual([
      'config.targets[0].targets[0]',
      'config.targets[1].targets[0]',
      'config.targets[1].targets[1].targets[0]',
    ]);
    expect(compileTargets(leaf)[0]?.path).toBe('config');
  });

  it('compiles an empty config to one target that takes everything from the request', () => {
    expect(compileConfig({}).root).toMatchObject({
      kind: 'target',
      provider: null,
      virtualKey: null,
      apiKey: null,
      retry: { attempts: 0 },
      hasParamRules: false,
      needsBody: false,
      weight: 1,
    });
  });

  it('keeps provider fields as written, on their own target only', () => {
    const [azure, other] = compileTargets({
      strategy: { mode: 'fallback' },
      targets: [
        { provider: 'azure-openai', azure_resource_name: 'r1', vertex_service_account_json: { a: 1 } },
        { provider: 'openai' },
      ],
    });
    expect(azure?.providerFields).toEqual({
      azure_resource_name: 'r1',
      vertex_service_account_json: { a: 1 },
    });
    expect(other?.providerFields).toEqual({});
  });

  it('needs the parsed body only when a condition or a parameter rule reads it', () => {
    const conditional = (query: Record<string, unknown>): GatewayConfig => ({
      strategy: { mode: 'conditional', conditions: [{ query, then: 'a' }] },
      targets: [{ name: 'a', provider: 'openai' }],
    });
    const byParams = compileConfig(conditional({ $or: [{ model: 'x' }, { $not: { 'params.user': 'y' } }] }));
    expect(byParams).toMatchObject({ needsParams: true, needsModel: true, targets: [{ needsBody: true }] });
    const byMetadata = compileConfig(conditional({ 'metadata.user': 'y' }));
    expect(byMetadata).toMatchObject({
      needsParams: false,
      needsModel: false,
      targets: [{ needsBody: false }],
    });
    expect(compileConfig({ drop_params: ['user'] }).targets).toMatchObject([{ needsBody: true }]);
    expect(compileConfig({ override_params: {} }).targets).toMatchObject([{ needsBody: false }]);
  });

  it('neither changes nor keeps its input, and returns only frozen values', () => {
    const config = {
      provider: 'openai',
      override_params: { nested: { list: [1] } },
      input_guardrails: [{ 'default.contains': { words: ['x'] } }],
    };
    const before = structuredClone(config);
    const compiled = compileConfig(config);
    expect(config).toEqual(before);
    config.override_params.nested.list.push(2);
    expect(compiled.targets[0]?.overrideParams).toEqual({ nested: { list: [1] } });
    const mutable = (value: unknown): boolean =>
      typeof value === 'object' &&
      value !== null &&
      (!Object.isFrozen(value) || Object.values(value).some((member) => mutable(member)));
    expect(mutable(compiled)).toBe(false);
  });
});
