export * from './durations';
export * from './ids';
export * from './moments';
export * from './money';
export * from './numbers';
export * from './zones';
