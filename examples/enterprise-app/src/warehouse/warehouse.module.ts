import { Controller, type DynamicModule, Get, Injectable, Module, Param } from '@nestjs/common';
import { Application, type Environment, LintelModule } from 'lintel';
import { DataSource } from 'typeorm';
import { definition } from '../definition.js';
import { StockService } from '../stock/stock.service.js';

/** Warehouse API from before Lintel was added. It uses the providers of Acme's modules. */
@Injectable()
class Shelves {
  constructor(private readonly lintel: Application) {}

  count(sku: string): Promise<number> {
    return this.lintel.get(StockService).count(this.lintel.get(DataSource).manager, sku);
  }
}

/** Has no Lintel decorators, because it is only reachable from the internal network. */
@Controller('shelves')
class ShelvesController {
  constructor(private readonly shelves: Shelves) {}

  @Get(':sku')
  async count(@Param('sku') sku: string): Promise<{ sku: string; pieces: number }> {
    return { sku, pieces: await this.shelves.count(sku) };
  }
}

/** The warehouse application, on Express, with Acme's Lintel application below `/api`. */
@Module({})
export class WarehouseModule {
  /** @param environment variables of Lintel; default: those of the process */
  static forRoot(environment?: Environment): DynamicModule {
    const options = { scope: { prefix: ['/api', '/dash', '/auth'] }, ...(environment && { environment }) };
    return {
      module: WarehouseModule,
      imports: [LintelModule.forRoot(definition, options)],
      controllers: [ShelvesController],
      providers: [Shelves],
    };
  }
}
