import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { KEYS_PER_EVENT_MAX } from '@gw/entities';

/** Accepts any text as a key, so that an unknown key does not fail the whole request. */
export class DocumentsRequestDto {
  @IsArray()
  @ArrayMaxSize(KEYS_PER_EVENT_MAX)
  @IsString({ each: true })
  keys!: string[];
}
