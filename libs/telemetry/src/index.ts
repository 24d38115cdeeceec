export { decodeFrames, encodeFrame, FRAME_BYTES_MAX, type Frame, type FrameBody } from './frame';
export { Journal, type JournalOptions, type JournalStats } from './journal';
export { otlpTraceRequest, otlpTraceResponse } from './otlp-proto';
export type { Position } from './cursor-file';
export type { JournalBatch } from './journal-reader';
export type { Problem } from './rate-limited-report';
export { LogShipper, type LogShipperOptions, type ShipperStats } from './log-shipper';
export { httpLogSink, type HttpLogSinkOptions, type LogSink, type Post } from './log-sink';
export { REDACTED, redactBody, redactMetadata, redactUrl } from './redact';
