import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type CityResponse, Reader } from 'mmdb-lib';
import type { Language } from '../../../kernel/text/language.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';

export class SessionPlace {
  @ApiProperty({ type: String, nullable: true, description: 'Name of the place, in the language of the request.' })
  readonly city: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Two-letter country code (ISO 3166-1).' })
  readonly country: string | null;
}

/** Finds places in a MaxMind database on this machine (`GEOIP_FILE`), without network requests. */
@Injectable()
export class SessionLocations {
  private readonly reader: Reader<CityResponse> | null;

  constructor(@Inject(CONFIG) { auth: { geoIpFile } }: Config) {
    this.reader = geoIpFile === null ? null : openGeoDatabase(geoIpFile);
  }

  of(address: string | null, language: Language | null): SessionPlace | null {
    const found = address === null ? null : this.find(address);
    const names = found?.city?.names;
    const city = (language && names?.[language]) ?? names?.en ?? null;
    const country = found?.country?.iso_code ?? null;
    return city === null && country === null ? null : { city, country };
  }

  /** Places in damaged parts of the file are unknown. */
  private find(address: string): CityResponse | null {
    try {
      return this.reader?.get(address) ?? null;
    } catch {
      return null;
    }
  }
}

/** Throws for an invalid file. */
export function openGeoDatabase(file: string): Reader<CityResponse> {
  return new Reader<CityResponse>(readFileSync(file));
}
