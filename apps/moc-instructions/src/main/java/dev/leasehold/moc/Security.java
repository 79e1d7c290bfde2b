package dev.leasehold.moc;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestTemplate;

/** Lets in who shows a token of the issuer; without an issuer everybody, who can then only be on this machine. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
class Security {
    private static final Duration ISSUER_LIMIT = Duration.ofSeconds(5);
    private static final String UNAUTHORIZED =
            "{\"type\":\"urn:leasehold:problem:unauthorized\",\"title\":\"Unauthorized\","
                    + "\"status\":401,\"detail\":\"Send a token of the issuer, as \\\"Authorization: Bearer ...\\\".\"}";

    /** Nothing is kept between requests, and no browser sends a token by itself: so no session and no CSRF token. */
    @Bean
    SecurityFilterChain filters(HttpSecurity http, Settings settings) throws Exception {
        http.csrf(csrf -> csrf.disable())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(cache -> cache.disable())
                .logout(logout -> logout.disable());
        String issuer = settings.issuer();
        if (issuer == null) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
        JwtDecoder decoder = new SupplierJwtDecoder(() -> decoder(issuer, settings));
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/livez", "/readyz", "/openapi")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.decoder(decoder))
                        .authenticationEntryPoint((request, response, e) -> refuse(response)))
                .exceptionHandling(
                        errors -> errors.authenticationEntryPoint((request, response, e) -> refuse(response)))
                .build();
    }

    /** Spring Boot would make a user with a password otherwise. */
    @Bean
    UserDetailsService noUsers() {
        return name -> {
            throw new UsernameNotFoundException(name);
        };
    }

    private static void refuse(HttpServletResponse response) throws IOException {
        response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.getWriter().write(UNAUTHORIZED);
    }

    /** The issuer is asked for its keys at the first request, not at the start. */
    private static JwtDecoder decoder(String issuer, Settings settings) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        requests.setConnectTimeout(ISSUER_LIMIT);
        requests.setReadTimeout(ISSUER_LIMIT);
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer)
                .restOperations(new RestTemplate(requests))
                .build();
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<Jwt>(
                JwtValidators.createDefaultWithIssuer(issuer),
                new JwtClaimValidator<String>(JwtClaimNames.SUB, subject -> subject != null && !subject.isBlank()),
                new JwtClaimValidator<List<String>>(
                        JwtClaimNames.AUD, audience -> audience != null && audience.contains(settings.audience()))));
        return decoder;
    }
}
