export { Waterfall, type WaterfallProps } from './waterfall';
export { laneWords, shortTarget, type LaneWords } from './lane-words';
export { waterfallLayout } from './waterfall-layout';
export type {
  AttemptLane,
  GatewayLane,
  GuardrailLane,
  Lane,
  LaneTone,
  WaitLane,
  WaterfallLayout,
  WaterfallRecord,
} from './waterfall-lanes';
