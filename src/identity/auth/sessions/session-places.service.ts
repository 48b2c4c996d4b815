import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type CityResponse, Reader } from 'mmdb-lib';
import type { Language } from '../../../kernel/text/language.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';

/** Place of a network address, as far as a database of addresses knows. */
export class SessionPlace {
  @ApiProperty({ type: String, nullable: true, description: 'In the language of the request.' })
  readonly city: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'ISO 3166-1, two letters.' })
  readonly country: string | null;
}

/** Tells where sessions are, by a database in the MaxMind format on this machine (`GEOIP_FILE`). Nobody else is asked. */
@Injectable()
export class SessionPlaces {
  private readonly reader: Reader<CityResponse> | null;

  constructor(@Inject(CONFIG) { auth: { geoIpFile } }: Config) {
    this.reader = geoIpFile === null ? null : openPlaces(geoIpFile);
  }

  /** Returns where an address is used, or null if that is not known. */
  of(address: string | null, language: Language | null): SessionPlace | null {
    const found = address === null ? null : this.find(address);
    const names = found?.city?.names;
    const city = (language && names?.[language]) ?? names?.en ?? null;
    const country = found?.country?.iso_code ?? null;
    return city === null && country === null ? null : { city, country };
  }

  /** Finds the place of an address. A file that is damaged in a place knows nothing of that place. */
  private find(address: string): CityResponse | null {
    try {
      return this.reader?.get(address) ?? null;
    } catch {
      return null;
    }
  }
}

/** Opens a database of addresses. Throws for a file that is none. */
export function openPlaces(file: string): Reader<CityResponse> {
  return new Reader<CityResponse>(readFileSync(file));
}
