import { recordChange, type Change } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Writes change events into the outbox, in the transaction of the write that they tell of: its last statement. */
@Injectable()
export class ChangeRecorder {
  record(manager: EntityManager, change: Change): Promise<void> {
    return recordChange(manager, change);
  }
}
