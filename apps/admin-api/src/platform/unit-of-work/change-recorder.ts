import { recordChange, type Change } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/**
 * Writes change events into the outbox. Must be the last statement in the transaction of the
 * change.
 */
@Injectable()
export class ChangeRecorder {
  record(manager: EntityManager, change: Change): Promise<void> {
    return recordChange(manager, change);
  }
}
