import { IntegrationEntity, IntegrationModelEntity } from '@gw/entities';
import { GatewayError, Shares, uuidv7 } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { createPriceBook, createPricer, SavedPrices } from '@gw/pricing';
import { identityOf, PROVIDERS, type Credential, type Provider } from '@gw/providers';
import { invalid, validationFailed } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MinuteCounters } from '../../../platform/auth/minute-counters';
import type { Principal } from '../../../platform/common/principal';
import { CredentialsService } from '../../../platform/credentials/credentials.service';
import {
  IntegrationCredentials,
  providerOfCatalogue,
} from '../../../platform/credentials/integration-credentials';
import { findRow } from '../../../platform/resource/rows';
import { mayForOrganisation, mayForWorkspace } from '../../../platform/rows/integrations.queries';
import { Writes } from '../../../platform/unit-of-work/writes';
import { integrationTo } from '../integrations.service';
import { pricingAdjustmentFaults } from '../pricing';
import {
  CHECK_IDS,
  type IntegrationCheckResponse,
  type IntegrationTestResponse,
  type TestIntegrationDto,
} from './integration-tests.dto';
import { ProviderChecks, type TestedPrices } from './provider-checks';

/**
 * Maximum number of concurrent tests in one process. A single organisation can use half of them.
 */
const TESTS_MAX = 8;
/** Maximum number of tests of an organisation per minute, in each process. */
const PER_MINUTE = 30;

const PRICER = createPricer(createPriceBook());

/** Tests integrations before they are saved. Saves nothing except the audit record. */
@Injectable()
export class IntegrationTestsService {
  private readonly places = new Shares(TESTS_MAX);
  private readonly counters = new MinuteCounters();

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: IntegrationCredentials,
    private readonly plain: CredentialsService,
    private readonly http: BufferedClient,
  ) {}

  /**
   * Tests a new integration, or a saved one with changes. Throws `validation_failed` as its POST or
   * PUT would, also for a saved secret that would be sent to another address, and `rate_limited`
   * beyond the limits of the organisation.
   */
  async test(caller: Principal, input: TestIntegrationDto): Promise<IntegrationTestResponse> {
    const row = await this.rowOf(caller, input);
    const faults = input.pricing_adjustments
      ? pricingAdjustmentFaults(input.pricing_adjustments, 'pricing_adjustments')
      : [];
    if (faults.length > 0) throw validationFailed(faults);
    const refused = this.applied(caller, row, input);
    const tested = refused ?? (await this.within(caller, () => this.run(row, input)));
    await this.record(caller, row, input, tested);
    return tested;
  }

  private async rowOf(caller: Principal, input: TestIntegrationDto): Promise<IntegrationEntity> {
    const { manager } = this.dataSource;
    if (input.integration !== undefined) {
      const at = { caller, reference: input.integration };
      const row = await findRow(manager, integrationTo('update'), at);
      if (input.ai_provider_id !== undefined && providerOf(input.ai_provider_id) !== row.aiProviderId)
        throw invalid('ai_provider_id', 'is fixed; leave it out, or test a new integration');
      return row;
    }
    const { organisationId, workspaceId } = caller;
    const may = workspaceId === null ? mayForOrganisation : mayForWorkspace;
    if (!may(caller, 'create')) throw new GatewayError('scope_missing');
    if (input.ai_provider_id === undefined)
      throw invalid('ai_provider_id', 'is required unless integration names a saved one');
    return manager.create(IntegrationEntity, {
      ...{ id: uuidv7(), organisationId, workspaceId, aiProviderId: providerOf(input.ai_provider_id) },
      ...{ sealedCredential: null, maskedKey: null, configurations: {}, maskedConfigurations: {} },
      ...{ pricingAdjustments: null, secretMappings: null, isVirtualKey: false },
    });
  }

  /**
   * Applies the input to the row without saving it. Returns failed checks when the policy refuses
   * the address.
   */
  private applied(
    caller: Principal,
    row: IntegrationEntity,
    { key, configurations, secret_mappings: mappings, pricing_adjustments: adjustments }: TestIntegrationDto,
  ): IntegrationTestResponse | null {
    if ((mappings ?? row.secretMappings ?? []).length > 0)
      throw invalid(
        'secret_mappings',
        'secrets of a secret manager are read by gateways only; save the integration and test it with a request',
      );
    if (adjustments !== undefined) row.pricingAdjustments = adjustments;
    try {
      this.credentials.apply(row, { key, configurations, caller });
      return null;
    } catch (error) {
      if (!(error instanceof GatewayError) || error.type !== 'custom_host_refused') throw error;
      const refused: IntegrationCheckResponse = {
        id: 'address',
        ok: false,
        ms: null,
        message: error.message,
      };
      const rest = { ok: null, ms: null, message: 'Not checked, because address failed.' };
      return { checks: CHECK_IDS.map((id) => (id === 'address' ? refused : { id, ...rest })), model: null };
    }
  }

  private async run(row: IntegrationEntity, { model }: TestIntegrationDto): Promise<IntegrationTestResponse> {
    const provider = PROVIDERS.get(row.aiProviderId) as Provider;
    const { apiKey = null, configurations: secret } = this.plain.open(row);
    const credential: Credential = { apiKey, configurations: { ...row.configurations, ...secret } };
    if (identityOf(provider, credential) !== null) {
      const message =
        'Gateways obtain this credential from a token service; save the integration and test it with a request.';
      return { checks: CHECK_IDS.map((id) => ({ id, ok: null, ms: null, message })), model: null };
    }
    const host = credential.configurations['custom_host'];
    const customHost = typeof host === 'string' ? host : null;
    const prices = await this.pricesOf(row, provider);
    const checks = new ProviderChecks(this.http, { provider, credential, customHost }, prices, model);
    return { checks: await checks.run(), model: checks.model };
  }

  private async pricesOf(row: IntegrationEntity, provider: Provider): Promise<TestedPrices> {
    const models = await this.dataSource.manager.findBy(IntegrationModelEntity, { integrationId: row.id });
    const saved = new SavedPrices(
      models.map(({ slug, baseModelSlug, pricingConfig }) => ({
        slug,
        baseModelSlug,
        pricingConfig,
        price: null,
      })),
      row.pricingAdjustments,
    );
    return { pricer: PRICER, request: (model) => saved.request(provider, model) };
  }

  private async within<T>({ organisationId }: Principal, work: () => Promise<T>): Promise<T> {
    const now = Date.now();
    const counted = this.counters.get(organisationId, now);
    if (counted && counted.count >= PER_MINUTE)
      throw tooMany(
        `at most ${String(PER_MINUTE)} tests a minute`,
        Math.ceil((counted.endsAt - now) / 1_000),
      );
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1)) throw tooMany('too many tests run at once', 1);
    this.counters.add(organisationId, now);
    try {
      return await work();
    } finally {
      share.give(1);
    }
  }

  private record(
    caller: Principal,
    row: IntegrationEntity,
    input: TestIntegrationDto,
    { checks, model }: IntegrationTestResponse,
  ): Promise<void> {
    const host = row.configurations['custom_host'];
    return this.writes.run(caller, (write) => {
      write.audit({
        action: 'test',
        resourceType: 'integrations',
        resourceId: input.integration === undefined ? null : row.id,
        workspaceId: row.workspaceId,
        after: {
          ai_provider_id: row.aiProviderId,
          host: typeof host === 'string' && URL.canParse(host) ? new URL(host).origin : null,
          model,
          checks: Object.fromEntries(checks.map(({ id, ok }) => [id, ok])),
          cost_exact: checks.find(({ id }) => id === 'chat')?.cost_exact ?? null,
        },
      });
      return Promise.resolve();
    });
  }
}

const providerOf = (id: string): string => providerOfCatalogue(id, 'ai_provider_id').id;

const tooMany = (reason: string, seconds: number): GatewayError =>
  new GatewayError('rate_limited', {
    message: `Integrations of the organisation cannot be tested now: ${reason}. Try again in a moment.`,
    headers: { 'retry-after': String(Math.max(1, seconds)) },
  });
