import {
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  Param,
  ParseIntPipe,
  ParseUUIDPipe,
  type PipeTransform,
  Post,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { IsInt } from 'class-validator';
import { type Observable, throwError } from 'rxjs';
import { Public } from '../../../../src/identity/auth/access/access.decorators.js';
import { RateLimit } from '../../../../src/platform/http/rate-limit/rate-limit.decorator.js';

let thrown: () => unknown = () => null;

/** Sets the exception of the next requests. Null lets them pass. */
export function throwing(make: () => unknown): void {
  thrown = make;
}

@Injectable()
class ThrowingGuard implements CanActivate {
  canActivate(): boolean {
    throw thrown();
  }
}

@Injectable()
class ClosedGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Injectable()
class ThrowingPipe implements PipeTransform {
  transform(): never {
    throw thrown();
  }
}

@Injectable()
class ThrowingInterceptor implements NestInterceptor {
  intercept(): Observable<unknown> {
    throw thrown();
  }
}

@Injectable()
class LateInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, _next: CallHandler): Observable<unknown> {
    return throwError(() => thrown());
  }
}

class Broken extends Error {}

@Catch(Broken)
class ThrowingFilter implements ExceptionFilter {
  catch(): void {
    throw thrown();
  }
}

class OrderDto {
  @IsInt() quantity: number;
}

@Controller('acme')
class ThrowingController {
  @Get('handler')
  @Public()
  handler(): void {
    throw thrown();
  }

  @Get('later')
  @Public()
  async later(): Promise<void> {
    await Promise.resolve();
    throw thrown();
  }

  @Get('guard')
  @Public()
  @UseGuards(ThrowingGuard)
  guard(): void {}

  @Get('closed')
  @Public()
  @UseGuards(ClosedGuard)
  closed(): void {}

  @Get('pipe/:id')
  @Public()
  pipe(@Param('id', ThrowingPipe) _id: string): void {}

  @Get('interceptor')
  @Public()
  @UseInterceptors(ThrowingInterceptor)
  interceptor(): void {}

  @Get('late')
  @Public()
  @UseInterceptors(LateInterceptor)
  late(): void {}

  @Get('filter')
  @Public()
  @UseFilters(ThrowingFilter)
  filter(): void {
    throw new Broken();
  }

  @Get('number/:id')
  @Public()
  number(@Param('id', ParseIntPipe) id: number): { id: number } {
    return { id };
  }

  @Get('uuid/:id')
  @Public()
  uuid(@Param('id', ParseUUIDPipe) id: string): { id: string } {
    return { id };
  }

  @Post('orders')
  @Public()
  @RateLimit('general')
  order(@Body() order: OrderDto): OrderDto {
    return order;
  }

  @Get('middleware')
  @Public()
  middleware(): void {}
}

/** Routes that throw at every place where custom code can throw. */
@Module({ controllers: [ThrowingController] })
export class ThrowingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((_request: unknown, _response: unknown, next: () => void) => {
        const fault = thrown();
        if (fault !== null) throw fault;
        next();
      })
      .forRoutes('acme/middleware');
  }
}
