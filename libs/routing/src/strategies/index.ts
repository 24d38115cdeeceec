import type { Strategy } from '../strategy';
import { canary } from './canary';
import { conditional } from './conditional';
import { fallback } from './fallback';
import { hedge } from './hedge';
import { loadbalance } from './loadbalance';
import { single } from './single';

/** All strategies. Adding one takes one line here. */
export const STRATEGIES: readonly Strategy[] = [single, fallback, loadbalance, conditional, canary, hedge];
