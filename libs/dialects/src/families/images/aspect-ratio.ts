import type { LossLedger } from '../../losses';
import type { ImagesCall } from './images';

/** Common ratios that approximate the ratios of some of OpenAI's sizes. */
const NEAR: Readonly<Record<string, string>> = { '7:4': '16:9', '4:7': '9:16' };

/**
 * Returns the aspect ratio of a size, which Google has instead of pixels. A ratio that is not in
 * `ratios` is a loss; the model's own default applies then.
 */
export function aspectRatio(
  { size }: ImagesCall,
  ratios: readonly string[],
  losses: LossLedger,
): string | undefined {
  if (size === undefined) return undefined;
  const divisor = greatestDivisor(size.width, size.height);
  const exact = `${String(size.width / divisor)}:${String(size.height / divisor)}`;
  const ratio = NEAR[exact] ?? exact;
  if (ratios.includes(ratio)) {
    if (!isUsual(size.width, size.height)) losses.note('size', 'approximated', `aspectRatio ${ratio}`);
    return ratio;
  }
  losses.parameter('size', `The model makes images with the aspect ratios ${ratios.join(', ')}.`);
  return undefined;
}

/** Returns whether Google generates exactly this size, which is known only for square images. */
const isUsual = (width: number, height: number): boolean =>
  width === height && (width === 1_024 || width === 2_048);

/** Returns Google's name of a size above 1,024 pixels; undefined for the usual size. */
export function imageSize({ size }: ImagesCall): '2K' | '4K' | undefined {
  const longest = Math.max(size?.width ?? 0, size?.height ?? 0);
  if (longest >= 3_584) return '4K';
  return longest >= 2_048 ? '2K' : undefined;
}

function greatestDivisor(one: number, other: number): number {
  let [larger, smaller] = [one, other];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
