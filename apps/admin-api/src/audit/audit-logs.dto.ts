import {
  DateField,
  EnumField,
  pageOf,
  QueryIntegerField,
  ReferenceField,
  TextField,
  UuidField,
} from '@gw/web';

export class ListAuditLogsQuery extends pageOf({ size: 20, sizeMax: 100 }) {
  @DateField({ optional: true })
  start_time?: string;

  @DateField({ optional: true })
  end_time?: string;

  @EnumField(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { optional: true })
  method?: string;

  @TextField({ optional: true, max: 2048 })
  uri?: string;

  @TextField({ optional: true, max: 128 })
  request_id?: string;

  @UuidField({ optional: true })
  user_id?: string;

  @EnumField(['user', 'api_key', 'system'], { optional: true })
  user_type?: 'user' | 'api_key' | 'system';

  @ReferenceField({ optional: true })
  workspace_id?: string;

  @QueryIntegerField({ min: 100, max: 599 })
  response_status_code?: number;

  @TextField({ optional: true, max: 64 })
  resource_type?: string;

  @TextField({ optional: true, max: 32 })
  action?: string;

  @TextField({ optional: true, max: 64 })
  client_ip?: string;
}
