import { shellKey, type Recipe } from './recipe';

export const openTelemetry: Recipe = {
  id: 'opentelemetry',
  label: 'OpenTelemetry',
  language: 'shell',
  needs: ['logs.write'],
  render: (values) => `export OTEL_EXPORTER_OTLP_ENDPOINT="${values.base}/v1/otel"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"
export OTEL_EXPORTER_OTLP_HEADERS="x-gw-api-key=${shellKey(values)}"`,
};
