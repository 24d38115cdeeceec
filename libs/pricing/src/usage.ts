import type { Usage } from '@gw/contracts';

/** Usage with everything that some model has a price for. Absent: none. All counts are non-negative integers. */
export interface BillableUsage extends Usage {
  /** Part of `cacheReadTokens` and of `inputAudioTokens`. */
  readonly cacheReadAudioTokens?: number;
  readonly inputImageTokens?: number;
  readonly outputImageTokens?: number;
  readonly images?: readonly { readonly quality: string; readonly size: string; readonly count: number }[];
  /** By the piece: `web_search`, … */
  readonly additionalUnits?: Readonly<Record<string, number>>;
  /** The provider ran it as part of a batch. */
  readonly batch?: boolean;
}
