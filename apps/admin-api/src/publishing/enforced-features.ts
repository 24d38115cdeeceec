import { EVERY_DOCUMENT } from '@gw/contracts';
import { EnforcedFeaturesEntity } from '@gw/entities';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, Not } from 'typeorm';
import { SETTINGS } from '../settings';
import { ChangeRecorder } from '../platform/unit-of-work/change-recorder';
import type { EnforcedFeatures } from './features-in-force';

/**
 * Notifies gateways after a feature was switched on or off, because they keep documents across
 * restarts and every document may have changed. All admin APIs of one database must have the same
 * switches, and must be restarted together to change them.
 */
@Injectable()
export class EnforcedFeaturesNotice implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeRecorder,
    @Inject(SETTINGS) private readonly features: EnforcedFeatures,
  ) {}

  /** Runs before anything reads the events, so that no reader misses the notification. */
  onModuleInit(): Promise<void> {
    const { GUARDRAILS_ENABLED, USAGE_LIMITS_ENABLED, POLICY_ENABLED } = this.features;
    const disabled = Object.entries({ GUARDRAILS_ENABLED, POLICY_ENABLED, USAGE_LIMITS_ENABLED })
      .filter(([, isOn]) => !isOn)
      .map(([name]) => name)
      .join(' ');
    return this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.update(
        EnforcedFeaturesEntity,
        { id: 1, disabled: Not(disabled) },
        { disabled },
      );
      if (affected === 1) await this.changes.record(manager, { changed: [EVERY_DOCUMENT] });
    });
  }
}
