import type { Usage } from '@gw/contracts';
import type { CreatedObject, StreamTap } from '@gw/providers';
import type { Meter } from './request-reply';

/** Reads usage and model of a stream from its tap. */
export class TapMeter implements Meter {
  constructor(private readonly tap: StreamTap) {}

  usage(): Usage | null {
    return this.tap.usage();
  }

  model(): string | null {
    return this.tap.model;
  }

  createdObject(): CreatedObject | null {
    return this.tap.made;
  }

  initialUsage(): Usage | null {
    return this.tap.begun();
  }

  usageMayFollow(): boolean {
    return this.tap.usageMayFollow;
  }
}
