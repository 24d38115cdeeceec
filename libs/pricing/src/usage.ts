import type { Usage } from '@gw/contracts';

/**
 * Usage with everything that a model may have a price for; absent means none. All counts are
 * non-negative integers.
 */
export interface BillableUsage extends Usage {
  /** Part of `cacheReadTokens` and of `inputAudioTokens`. */
  readonly cacheReadAudioTokens?: number;
  readonly inputImageTokens?: number;
  readonly outputImageTokens?: number;
  readonly images?: readonly { readonly quality: string; readonly size: string; readonly count: number }[];
  /** Units counted per piece, such as `web_search`. */
  readonly additionalUnits?: Readonly<Record<string, number>>;
  /** Whether the provider ran the request in a batch. */
  readonly batch?: boolean;
}
