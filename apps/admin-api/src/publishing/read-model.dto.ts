import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { KEYS_PER_EVENT_MAX } from '@gw/entities';

/** Accepts keys of any text, so that an unknown key does not make the read of the others fail. */
export class DocumentsRequestDto {
  @IsArray()
  @ArrayMaxSize(KEYS_PER_EVENT_MAX)
  @IsString({ each: true })
  keys!: string[];
}
